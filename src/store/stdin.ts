/** A record that another program hands over: `pi-bench matmul --json | pi-bench show -`. */
export const STDIN = '/dev/stdin';

import { describe, expect, it } from 'vitest';
import { splitLine } from '../../src/submit/command-line.js';

const OPTIONS = {
  nodes: { type: 'string' },
  nodelist: { type: 'string' },
  'give-up': { type: 'string' },
  json: { type: 'boolean' },
  exclusive: { type: 'boolean' },
} as const;

const split = (line: string) => {
  const { own, command } = splitLine(line.split(' '), OPTIONS);
  return [own.join(' '), command.join(' ')];
};

describe('the command line of a submission', () => {
  it.each([
    ['--nodes 4 matmul --size 512', '--nodes 4', 'matmul --size 512'],
    ['qualify --nodes 16 --tier t2', '--nodes 16', 'qualify --tier t2'],
    ['matmul --size 512 --reps=20 --nodes=2 --json', '--nodes=2 --json', 'matmul --size 512 --reps=20'],
    ['--no-exclusive matmul --no-pin', '--no-exclusive', 'matmul --no-pin'],
    ['--give-up 2h --nodelist n[1-4] run a.yaml', '--give-up 2h --nodelist n[1-4]', 'run a.yaml'],
    ['--nodes 1 -- matmul --json', '--nodes 1', 'matmul --json'],
    ['--help', '--help', ''],
    ['matmul --help', '', 'matmul --help'],
    ['matmul --nodse 4', '', 'matmul --nodse 4'],
    ['matmul --nodes', '--nodes', 'matmul'],
  ])('%s: is its own flags (%s) and the nodes’ command (%s)', (line, own, command) => {
    expect(split(line)).toEqual([own, command]);
  });
});

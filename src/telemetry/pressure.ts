/** /proc/pressure/{cpu,memory,io} (PSI): time in which some task of the machine was held up. */

/** Microseconds since boot, the total of the `some` line; null when the text has none. */
export function parsePressure(text: string): number | null {
  const total = /^some\s.*\btotal=(\d{1,20})\s*$/m.exec(text)?.[1];
  return total === undefined ? null : Number(total);
}

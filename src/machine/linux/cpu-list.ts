/** The kernel's list format for CPUs and NUMA nodes: `0-3,8,10-11`. */

/** No machine has more: a bound, so that a broken file cannot ask for a list without end. */
const MOST_CPUS = 65_536;

/** Ascending and without duplicates; empty for an empty list; null when the text is no such list. */
export function parseCpuList(text: string | null): readonly number[] | null {
  if (text === null) return null;
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const cpus = new Set<number>();
  for (const part of trimmed.split(',')) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim());
    if (match === null) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last >= MOST_CPUS) return null;
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/** The inverse of `parseCpuList`, with runs written as ranges. */
export function formatCpuList(cpus: readonly number[]): string {
  const ranges: string[] = [];
  let start = 0;
  for (let i = 1; i <= cpus.length; i++) {
    if (cpus[i] === (cpus[i - 1] ?? 0) + 1) continue;
    ranges.push(i - start === 1 ? `${cpus[start]}` : `${cpus[start]}-${cpus[i - 1]}`);
    start = i;
  }
  return ranges.join(',');
}

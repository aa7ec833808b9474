/** /proc/<pid>/task/<tid>/sched, on kernels built with CONFIG_SCHED_DEBUG: how often the thread changed its CPU. */

/** null when the kernel does not tell. */
export function parseMigrations(text: string): number | null {
  const count = /^(?:se\.)?nr_migrations\s*:\s*(\d{1,20})\s*$/m.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

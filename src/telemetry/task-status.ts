/** /proc/<pid>/task/<tid>/status: how often the thread gave up its CPU, and how often it was taken off. */

export interface ContextSwitches {
  readonly voluntary: number;
  readonly involuntary: number;
}

/** null when the kernel does not tell. */
export function parseContextSwitches(text: string): ContextSwitches | null {
  const voluntary = /^voluntary_ctxt_switches:\s*(\d{1,20})\s*$/m.exec(text)?.[1];
  const involuntary = /^nonvoluntary_ctxt_switches:\s*(\d{1,20})\s*$/m.exec(text)?.[1];
  if (voluntary === undefined || involuntary === undefined) return null;
  return { voluntary: Number(voluntary), involuntary: Number(involuntary) };
}

// Types of what the tests use of native-checks.mjs.

export interface CheckResult {
  readonly name: string;
  readonly checks: number;
  /** The lines of the checks that failed. */
  readonly failed: readonly string[];
  /** What went wrong with the program itself, or null. */
  readonly trouble: string | null;
}

/** What `--sanitize` takes. */
export const sanitizers: readonly string[];
/** Programs that compare results and know no time: they may run beside each other. */
export const TIMELESS: readonly string[];
export function checkPrograms(): string[];
/** Compiles what is stale and returns the programs' paths, in the order of `programs`. */
export function buildChecks(programs?: readonly string[], sanitize?: string): Promise<string[]>;
export function runCheck(binary: string, sanitize?: string): Promise<CheckResult>;

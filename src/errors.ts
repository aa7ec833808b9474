/** Exit codes, and errors that end a command with one clear line. */
export const EXIT = {
  done: 0,
  answerIsNo: 1,
  incomplete: 2,
  wrongResult: 3,
  usage: 64,
  internal: 70,
  /** Ended by signal n: 128 + n. */
  signal: (number: number): number => 128 + number,
} as const;

/** An error that a person can mend: its message is the one line they see. */
export class UserError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.usage,
  ) {
    super(message);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a system error (`ENOSPC`), or null. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** With what lies behind it: `fetch failed` alone tells nobody what to do. */
export function messageWithCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const behind = cause === undefined ? '' : messageOf(cause) || (systemCode(cause) ?? '');
  return behind === '' ? messageOf(error) : `${messageOf(error)}: ${behind}`;
}

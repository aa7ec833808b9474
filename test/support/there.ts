/** A value that a test takes for granted: where it is missing, the test says so by name and ends. */
export function there<T>(value: T, what: string): NonNullable<T> {
  if (value == null) throw new Error(`there is no ${what}`);
  return value;
}

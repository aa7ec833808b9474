/**
 * How a check ends that has several parts: 1 where one was wrong, 2 where none was and one could not be done.
 * @param {readonly (boolean | null)[]} parts whether each was right; null: it could not be done
 */
export function exitCodeOf(parts) {
  if (parts.includes(false)) return 1;
  return parts.includes(null) ? 2 : 0;
}

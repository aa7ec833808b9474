// What a long benchmark is at, on one line of a terminal.

/** @param {string} text empty: nothing any more */
export const progress = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};

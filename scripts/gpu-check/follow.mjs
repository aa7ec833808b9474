// Takes the steps of a check one after the other.

/** What steps of one key found, together. */
const together = (before, found) =>
  before === undefined
    ? found
    : {
        ...before,
        ...found,
        rows: [...before.rows, ...found.rows],
        wrong: [...before.wrong, ...found.wrong],
      };

/**
 * A step that fails leaves the others to go on; none begins when no time is left. What was found so far is told after each:
 * a machine that is lent may be gone before the last. `toCome`: what the steps after it say.
 * @param {readonly { key: string, says: string, work: (tools: object) => Promise<object>, instead: object }[]} steps
 * @param {object} tools
 * @param {{ left: () => number, say: (text: string) => void, told: (check: object, toCome: string[]) => void }} how
 * @returns {Promise<object>} what each key found
 */
export async function follow(steps, tools, { left, say, told }) {
  let check = {};
  for (const [at, { key, says, work, instead }] of steps.entries()) {
    const found = async () => {
      if (left() <= 0) return { ...instead, wrong: [`${says}: not run, for want of time`] };
      say(says);
      try {
        return await work({ ...tools, left, check });
      } catch (error) {
        say(`${says} failed: ${error.message}`);
        return { ...instead, wrong: [`${says}: ${error.message}`] };
      }
    };
    check = { ...check, [key]: together(check[key], await found()) };
    told(
      check,
      steps.slice(at + 1).map((step) => step.says),
    );
  }
  return check;
}

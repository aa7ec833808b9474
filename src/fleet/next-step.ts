/** What is to be done about a node that another tool measured: there is no record of it here, nor a journal, that `show` or `resume` could take. Pure. */
import type { CauseName } from './causes.js';
import type { NodeHead } from './node-line.js';

const OWN = 'pi-bench';

const AGAIN = 'run it there again and import what it writes then';

const BY_TOOL: Readonly<Partial<Record<CauseName, (tool: string) => string>>> = {
  lost: (tool) => `see in what ${tool} wrote on that node why it is missing, mend that, ${AGAIN}`,
  'failed-check': (tool) => `follow what ${tool} says of that check, then ${AGAIN}`,
  'open-check': (tool) =>
    `see in what ${tool} wrote on that node why that check could not be judged, mend that, ${AGAIN}`,
  slow: (tool) =>
    `hold what ${tool} measured on it against a fast node, such as the reference where one is named, then run pi-bench qualify --tier t2 there`,
};

/** Nothing where what is to be done is the same whoever measured it. */
export function importedAdvice(
  { tool: { name } }: Pick<NodeHead, 'tool'>,
  cause: CauseName,
): { readonly action?: string } {
  const advice = name === OWN ? undefined : BY_TOOL[cause];
  return advice === undefined ? {} : { action: advice(name) };
}

/** What is wrong with nodes beside their speed, in words: wrong results, what was lost or is lacked, failed and open checks. Pure. */
import type { HeldAgainst } from './baseline-centres.js';
import { beyondOf } from './beyond.js';
import type { CauseName } from './causes.js';
import { causeOfCheck, failedChecksOf } from './failed-checks.js';
import { type Missing, missingOf } from './missing.js';
import { checkText, lackedChecks, openChecksOf } from './open-checks.js';
import type { Fleet } from './table.js';

/** Of a node, by the cause that each text stands for. */
export type Problems = ReadonlyMap<CauseName, readonly string[]>;

/** What a place, or a node as a whole, lacks of a baseline it is not told to lack of its fleet once more. */
function missingEach(ofBaseline: readonly Missing[], ofFleet: readonly Missing[]): readonly Missing[] {
  const whereOf = ({ node, place }: Missing): string => `${node} ${place}`;
  const told = new Set(ofBaseline.map(whereOf));
  return [...ofBaseline, ...ofFleet.filter((one) => !told.has(whereOf(one)))];
}

/**
 * @param baseline null: the nodes are held against each other
 * @param judged nodes of which a KPI was
 */
export function problemsOf(
  fleet: Fleet,
  baseline: HeldAgainst | null,
  judged: ReadonlySet<number>,
): ReadonlyMap<number, Problems> {
  const all = new Map<number, Map<CauseName, string[]>>();
  const note = (node: number, cause: CauseName, text: string): void => {
    const own = all.get(node) ?? new Map<CauseName, string[]>();
    all.set(node, own);
    own.set(cause, [...(own.get(cause) ?? []), text]);
  };
  fleet.nodes.forEach((head, node) => {
    for (const { kind, what, why } of head.problems) {
      note(node, kind === 'wrong' ? 'wrong-result' : 'lost', `${what}: ${why}`);
    }
    for (const check of failedChecksOf(head)) note(node, causeOfCheck(check), checkText(check));
  });
  const speaking = new Set(all.keys());
  for (const { node, place, cause, text } of missingEach(baseline?.missing ?? [], missingOf(fleet))) {
    // Who says why it lacks a KPI has said it already; of a device that is gone no launch that was lost tells.
    const isDevice = place === null && Object.keys(fleet.nodes[node]?.devices ?? {}).length > 0;
    if (isDevice || !speaking.has(node)) note(node, cause, text);
  }
  for (const { node, text } of beyondOf(fleet, baseline === null)) note(node, 'above-ceiling', text);
  fleet.nodes.forEach((head, node) => {
    for (const text of openChecksOf(head)) note(node, 'open-check', text);
  });
  lackedChecks(fleet.nodes, judged).forEach((text, node) => {
    if (text !== null && !all.has(node)) note(node, 'open-check', text);
  });
  return all;
}

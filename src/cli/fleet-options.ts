/** What several commands of a fleet ask for: its nodes, what may differ between them, and the margin. */
import type { Argv } from 'yargs';
import { refuseMixed, requireFacts, sameMachines, sameMachinesText } from '../fleet/identity.js';
import { readFleet } from '../fleet/read-fleet.js';
import { MARGINS } from '../fleet/rules.js';
import type { Fleet } from '../fleet/table.js';
import { leftOutText } from '../import/superbench.js';
import { parseShare } from '../quantities/parse.js';
import { listOf } from './read-named.js';
import { say } from './say.js';

export const pathsOf = (paths: unknown): readonly string[] =>
  (Array.isArray(paths) ? paths : []).map(String).filter((path) => path !== '');

export const withNodes = (yargs: Argv): Argv =>
  yargs.positional('nodes', {
    type: 'string',
    array: true,
    describe:
      'Results folders, one for each node; folders of submit with all of them; files of node lines (.jsonl), ours or SuperBench’s',
    default: [],
    defaultDescription: 'none',
  });

export const withAcross = (yargs: Argv): Argv =>
  yargs.option('across', {
    type: 'string',
    describe: 'Facts that may differ between the nodes, or from a baseline: pibench_version,cpu_model',
  });

export const withMargin = (yargs: Argv): Argv =>
  yargs.option('margin', {
    type: 'string',
    describe: 'A median this much worse is named, however alike the others are; other margins in proportion',
    default: `${100 * MARGINS.median}%`,
  });

/** The factor of all margins. */
export const scaleOf = (margin: unknown): number => parseShare(String(margin), '--margin') / MARGINS.median;

/** @throws UserError where there is no node, one cannot be read, or they are not of one kind */
export async function readOneKind(paths: unknown, across: unknown): Promise<Fleet> {
  const fleet = await readFleet(pathsOf(paths));
  requireFacts(fleet.nodes, listOf(across));
  refuseMixed(fleet.nodes, listOf(across));
  const leftOut = leftOutText(fleet.nodes);
  if (leftOut !== null) say(`left out ${leftOut}`);
  const alike = sameMachinesText(sameMachines(fleet.nodes));
  if (alike !== null) say(alike);
  return fleet;
}

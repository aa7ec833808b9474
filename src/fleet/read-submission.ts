/** Nodes that a submission handed a campaign to and that brought no record: its summary names them, its folders do not. The edge to files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import { SUBMISSION } from '../store/store.js';

const summary = z.looseObject({
  nodes: z.array(
    z.looseObject({
      target: z.string(),
      node: z.string().nullable(),
      status: z.string(),
      reason: z.string().nullable(),
      record: z.string().nullable(),
    }),
  ),
});

export interface WithoutRecord {
  /** What it was to be: a node, or a place that the scheduler fills. */
  readonly target: string;
  /** As it calls itself, where that is known. */
  readonly name: string;
  readonly why: string;
}

/**
 * None where the folder is no submission's, or one that has not come to its end.
 * @throws UserError where its summary is damaged
 */
export function nodesWithoutRecord(folder: string): readonly WithoutRecord[] {
  const path = join(folder, SUBMISSION);
  if (!existsSync(path)) return [];
  try {
    const { nodes } = summary.parse(JSON.parse(readFileSync(path, 'utf8')));
    return nodes
      .filter(({ record }) => record === null)
      .map(({ target, node, status, reason }) => ({
        target,
        name: node ?? target,
        why: reason === null ? status : `${status}: ${reason}`,
      }));
  } catch (error) {
    throw new UserError(`${path} is damaged: ${messageOf(error).replaceAll(/\s+/g, ' ')}`);
  }
}

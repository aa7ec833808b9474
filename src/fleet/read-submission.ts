/**
 * What a submission's folder tells of its nodes besides their records: which brought none, by its journal, and what a folder below
 * its `nodes` is called. The edge to files.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import { RECORD, SUBMISSION } from '../store/store.js';
import { readSubmission } from '../submit/journal.js';
import { NODES, SUBMISSION_JOURNAL } from '../submit/names.js';
import { type NodeSummary, summarise } from '../submit/summary.js';

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

type Told = Pick<NodeSummary, 'target' | 'node' | 'reason' | 'record'> & { readonly status: string };

/** @throws UserError where its summary is damaged */
function toldBySummary(path: string): readonly Told[] {
  try {
    return summary.parse(JSON.parse(readFileSync(path, 'utf8'))).nodes;
  } catch (error) {
    throw new UserError(`${path} is damaged: ${messageOf(error).replaceAll(/\s+/g, ' ')}`);
  }
}

/** By its journal, which a submission has from its beginning on; its summary is written at its end, and may be of an earlier one. */
function toldOf(folder: string): readonly Told[] {
  if (existsSync(join(folder, SUBMISSION_JOURNAL))) return summarise(readSubmission(folder)).nodes;
  const path = join(folder, SUBMISSION);
  return existsSync(path) ? toldBySummary(path) : [];
}

function whyOf({ status, reason }: Told, folder: string): string {
  if (status === 'running') return `the submission did not end: pi-bench resume ${folder} goes on with it`;
  return reason === null ? status : `${status}: ${reason}`;
}

/**
 * None where the folder is no submission's.
 * @throws UserError where its journal or its summary is damaged
 */
export const nodesWithoutRecord = (folder: string): readonly WithoutRecord[] =>
  toldOf(folder)
    .filter(({ record }) => record === null)
    // What was brought and not noted before a kill is there all the same.
    .filter(({ status, target }) => status !== 'running' || !existsSync(join(folder, NODES, target, RECORD)))
    .map((told) => ({ target: told.target, name: told.node ?? told.target, why: whyOf(told, folder) }));

/** What a submission calls the node whose campaign this folder is; null: it is none of a submission. */
export function nameInSubmission(campaign: string): string | null {
  const nodes = dirname(campaign);
  if (basename(nodes) !== NODES) return null;
  const files = [SUBMISSION_JOURNAL, SUBMISSION].map((name) => join(dirname(nodes), name));
  return files.some((path) => existsSync(path)) ? basename(campaign) : null;
}

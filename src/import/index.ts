/** The registry of formats that can be imported: a new one is its file and its line here. */
import { UserError } from '../errors.js';
import { thereIs } from '../nearest.js';
import type { Found } from './files.js';
import { readNcclTests } from './nccl-tests.js';
import { type ImportedNodes, readDcgm, readSuperbench } from './nodes.js';
import type { Published } from './published.js';
import { readThoth } from './thoth.js';

interface Format {
  readonly name: string;
  readonly summary: string;
}

/** What was published becomes a campaign. */
export interface RecordFormat extends Format {
  readonly kind: 'record';
  /** @throws UserError where nothing of it can be imported */
  readonly read: (found: Found) => Published;
}

/** What was measured on many nodes becomes lines of a fleet. */
export interface NodesFormat extends Format {
  readonly kind: 'nodes';
  /** @throws UserError where nothing of it can be imported */
  readonly read: (found: Found) => ImportedNodes;
}

export type ImportFormat = RecordFormat | NodesFormat;

export const importFormats: readonly ImportFormat[] = [
  {
    name: 'thoth',
    summary: 'inspection documents and tables of Thoth’s performance indicators',
    kind: 'record',
    read: readThoth,
  },
  {
    name: 'superbench',
    summary: 'SuperBench’s results-summary.jsonl, as nodes of a fleet',
    kind: 'nodes',
    read: readSuperbench,
  },
  {
    name: 'dcgm',
    summary: 'what dcgmi diag -j printed on each node, as its checks',
    kind: 'nodes',
    read: readDcgm,
  },
  {
    name: 'nccl-tests',
    summary: 'what all_reduce_perf and its siblings printed on each node, as nodes of a fleet',
    kind: 'nodes',
    read: readNcclTests,
  },
];

/** @throws UserError when there is no such format. */
export function findImportFormat(name: string): ImportFormat {
  const found = importFormats.find((format) => format.name === name);
  if (found !== undefined) return found;
  const names = importFormats.map((format) => format.name);
  throw new UserError(`there is no format "${name}" to import; ${thereIs(name, names)}`);
}

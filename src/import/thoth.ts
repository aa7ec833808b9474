/**
 * Published results of Thoth's performance indicators: inspection documents of the service Amun (layouts of 2019 and 2020), the
 * describe() table of the repetition study, and the set of convolution timings. Pure but for reading the files passed in.
 */
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import { sha256 } from '../record/digest.js';
import type { Found, FoundFile } from './files.js';
import type { Published, PublishedBatch, SourceFile, Unread } from './published.js';
import { parseTable } from './thoth/csv.js';
import { fromDescribeTable, isDescribeTable } from './thoth/describe-table.js';
import { batchesOf, inspectionOf2019 } from './thoth/documents.js';
import { agreedMachine, type Facts, factsOf } from './thoth/machine.js';
import { inspection2019, type Result, result, type Specification, specification } from './thoth/schemas.js';
import { fromTimings, isTimings } from './thoth/timings.js';

/** Lie beside the documents and hold nothing that these do not. */
const COMPANION = /(^|\/)(results\/\d+\/(hwinfo|log)|build\/(log|Dockerfile))$/;
const RESULT = /^(?:(.*)\/)?results\/(\d+)\/result$/;
const SPECIFICATION = /^(?:(.*)\/)?build\/specification$/;

/** Tables tell nothing of where they were measured. */
const NO_FACTS: Facts = factsOf(null, null);

const LAYOUTS = {
  document2020: 'inspection of 2020',
  document2019: 'inspection of 2019',
  table: 'describe() table',
  timings: 'timings of launches',
} as const;

/** Of every layout. */
const NOT_KNOWN = [
  {
    what: 'verification',
    why: 'whether outputs were right was not published: nothing here counts as verified',
  },
  { what: 'telemetry', why: 'counters of throttling, stolen time and other load were not published' },
  {
    what: 'times of the repetitions',
    why: 'one value of each launch, or less, was published: not the times of its repetitions',
  },
  { what: 'stack', why: 'known by name, and by version where packages were locked: no file, no checksum' },
  { what: 'warm-up', why: 'how many calls came before the repetitions was not published' },
  {
    what: 'neighbours',
    why: 'what ran on the same machines at the same time, other launches included, was not published',
  },
];
const LIMIT = {
  what: 'limit of CPUs',
  why: 'taken to be run.requests.cpu, which the service made the limit; the limit itself was not published',
};
const NAMED_REPETITIONS = {
  what: 'number of the table’s repetitions',
  why: 'read from the names of the columns; the size from rate x elapsed',
};

interface Reading {
  readonly batches: PublishedBatch[];
  readonly files: SourceFile[];
  readonly unread: Unread[];
  readonly facts: Facts[];
  readonly moments: number[];
}

interface Text {
  readonly path: string;
  readonly text: string;
}

/** null where it cannot be read, which is then noted. */
function textOf(file: FoundFile, { unread }: Reading): Text | null {
  try {
    return { path: file.path, text: file.read() };
  } catch (error) {
    unread.push({ path: file.path, why: messageOf(error), damaged: true });
    return null;
  }
}

/** JSON that fits; null and noted otherwise. */
function parse<T>(schema: z.ZodType<T>, { path, text }: Text, what: string, { unread }: Reading): T | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    unread.push({ path, why: `not JSON, or cut off: ${messageOf(error)}`, damaged: true });
    return null;
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const why = `no ${what}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`;
  unread.push({ path, why, damaged: true });
  return null;
}

function noteMoments(reading: Reading, ...moments: readonly (string | null | undefined)[]): void {
  // The documents' own times are UTC and mostly do not say so.
  for (const moment of moments) {
    const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(moment ?? '') ? (moment ?? '') : `${moment}Z`);
    if (Number.isFinite(at)) reading.moments.push(at);
  }
}

const noteFile = (reading: Reading, { path, text }: Text, layout: string): void => {
  reading.files.push({ path, sha256: sha256(text), layout });
};

/** The documents of one folder of 2020: what was asked for, and the results by number. */
interface Folder {
  specification: Specification | null;
  results: Result[];
}

/** @returns whether the file belongs to such a folder */
function read2020(file: FoundFile, folders: Map<string, Folder>, place: string, reading: Reading): boolean {
  const [isResult, isSpecification] = [RESULT.exec(file.path), SPECIFICATION.exec(file.path)];
  const match = isResult ?? isSpecification;
  const lone = match === null && file.path === 'result';
  if (match === null && !lone) return COMPANION.test(file.path);
  const text = textOf(file, reading);
  if (text === null) return true;
  // Two of one name in two folders are two inspections.
  const id = match?.[1] ?? place;
  const folder = folders.get(id) ?? { specification: null, results: [] };
  if (isSpecification === null) {
    const parsed = parse(result, text, 'result of an inspection', reading);
    if (parsed === null) return true;
    folder.results.push(parsed);
    noteMoments(reading, parsed.datetime, parsed.start_datetime, parsed.end_datetime);
  } else {
    const parsed = parse(specification, text, 'specification of an inspection', reading);
    if (parsed === null) return true;
    folder.specification = parsed;
  }
  folders.set(id, folder);
  noteFile(reading, text, LAYOUTS.document2020);
  return true;
}

function read2019(file: FoundFile, reading: Reading): void {
  const text = textOf(file, reading);
  if (text === null) return;
  let json: unknown;
  try {
    json = JSON.parse(text.text);
  } catch (error) {
    reading.unread.push({ path: file.path, why: `not JSON, or cut off: ${messageOf(error)}`, damaged: true });
    return;
  }
  const parsed = inspection2019.safeParse(json);
  if (!parsed.success) {
    reading.unread.push({ path: file.path, why: 'JSON, but no inspection document', damaged: false });
    return;
  }
  const { batches, failures } = batchesOf(inspectionOf2019(parsed.data));
  if (batches.length === 0) {
    reading.unread.push({ path: file.path, why: `nothing was measured: ${failures[0]}`, damaged: true });
    return;
  }
  reading.batches.push(...batches);
  reading.facts.push(factsOf(parsed.data.job_log, parsed.data.specification));
  noteMoments(reading, parsed.data.created, parsed.data.status?.job?.finished_at);
  noteFile(reading, text, LAYOUTS.document2019);
}

function readCsv(file: FoundFile, reading: Reading): void {
  const text = textOf(file, reading);
  if (text === null) return;
  const { path } = file;
  const table = parseTable(text.text);
  if (table === null) {
    reading.unread.push({ path, why: 'rows of different lengths: cut off, or no table', damaged: true });
  } else if (isDescribeTable(table)) {
    const { batches, problems } = fromDescribeTable(table, path);
    reading.batches.push(...batches);
    reading.facts.push(NO_FACTS);
    for (const why of problems) reading.unread.push({ path, why, damaged: true });
    if (batches.length > 0) noteFile(reading, text, LAYOUTS.table);
  } else if (isTimings(table)) {
    const { batches, dropped } = fromTimings(table);
    reading.batches.push(...batches);
    reading.facts.push(NO_FACTS);
    if (dropped > 0) reading.unread.push({ path, why: `${dropped} rows without a time`, damaged: true });
    if (batches.length > 0) noteFile(reading, text, LAYOUTS.timings);
  } else {
    reading.unread.push({ path, why: 'a table, but none of the published ones', damaged: false });
  }
}

const lastPart = (path: string): string => path.split('/').at(-1) ?? path;

function addFolders(folders: ReadonlyMap<string, Folder>, reading: Reading): void {
  const called = new Map<string, number>();
  for (const path of folders.keys()) called.set(lastPart(path), (called.get(lastPart(path)) ?? 0) + 1);
  for (const [path, { specification: asked, results }] of folders) {
    // By the last part of its path, where no other ends so.
    const id = called.get(lastPart(path)) === 1 ? lastPart(path) : path;
    if (results.length === 0) {
      reading.unread.push({ path: id, why: 'an inspection without readable results', damaged: true });
      continue;
    }
    const { batches, failures } = batchesOf({ id, specification: asked, results });
    if (batches.length === 0) {
      reading.unread.push({ path: id, why: `nothing was measured: ${failures[0]}`, damaged: true });
      continue;
    }
    reading.batches.push(...batches);
    reading.facts.push(...results.map((one) => factsOf(one, asked)));
  }
}

function measuredBetween(moments: readonly number[]): Published['measured'] {
  if (moments.length === 0) return null;
  const iso = (at: number): string => new Date(at).toISOString();
  return {
    from: iso(moments.reduce((a, b) => Math.min(a, b))),
    to: iso(moments.reduce((a, b) => Math.max(a, b))),
  };
}

/** @throws UserError where nothing of it can be imported */
export function readThoth({ name, files, leftOut }: Found): Published {
  const reading: Reading = { batches: [], files: [], unread: [...leftOut], facts: [], moments: [] };
  const folders = new Map<string, Folder>();
  for (const file of files) {
    if (read2020(file, folders, name, reading)) continue;
    if (file.path.endsWith('.json')) read2019(file, reading);
    else if (file.path.endsWith('.csv')) readCsv(file, reading);
    else reading.unread.push({ path: file.path, why: 'not one of the published layouts', damaged: false });
  }
  addFolders(folders, reading);
  const { batches, unread, moments } = reading;
  if (batches.length === 0) {
    const [first] = [...unread].sort((a, b) => Number(b.damaged) - Number(a.damaged));
    const why = first === undefined ? 'it is empty' : `${first.path}: ${first.why}`;
    throw new UserError(
      `${name} holds nothing that thoth published (${why}); import takes a folder of inspections (build/specification, results/<n>/result), a document of 2019 (.json), or a published table (.csv)`,
    );
  }
  const { machine, disagreed } = agreedMachine(reading.facts);
  const has = (layout: string): boolean => reading.files.some((file) => file.layout === layout);
  return {
    format: 'thoth',
    batches,
    files: reading.files,
    unread,
    notKnown: [
      ...NOT_KNOWN,
      ...(has(LAYOUTS.document2019) || has(LAYOUTS.document2020) ? [LIMIT] : []),
      ...(has(LAYOUTS.table) ? [NAMED_REPETITIONS] : []),
      ...(disagreed.length === 0
        ? []
        : [{ what: 'machine', why: `the documents do not agree on ${disagreed.join(', ')}` }]),
    ],
    machine,
    measured: measuredBetween(moments),
  };
}

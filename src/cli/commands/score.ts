/** `pi-bench score RESULTS --reference RECORD`: one number for each stack, for people, resolvers and Thoth's database. Measures nothing. */
import { dirname, join } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, UserError } from '../../errors.js';
import { plural } from '../../quantities/format.js';
import { differencesText } from '../../readers/comparison/comparable.js';
import { stackKey, stackNames } from '../../readers/comparison/sides.js';
import { renderScore } from '../../readers/terminal/score.js';
import type { RecordBatch } from '../../record/schema.js';
import { prescriptionsOf } from '../../score/prescription.js';
import { type ScoreDocument, scoreStacks } from '../../score/score.js';
import { exportThoth } from '../../score/thoth/export.js';
import { leftOver } from '../../score/thoth/left-over.js';
import { namesIn } from '../../store/find-records.js';
import { readInspection } from '../../store/read-inspection.js';
import { printText, styleFor, writeText } from '../print-text.js';
import { listOf, type ReadNamed, readNamed } from '../read-named.js';
import { say } from '../say.js';

const FORMATS = ['table', 'json', 'prescription', 'thoth'] as const;
type Format = (typeof FORMATS)[number];

interface Options {
  readonly reference: string | null;
  readonly referenceStack: string | null;
  readonly across: readonly string[];
  readonly force: boolean;
  readonly out: string | null;
}

/** Without a reference the record's first stack is it, as for `compare`, where there are others to be held against it. */
function referenceOf(
  results: ReadNamed,
  { reference, referenceStack }: Options,
): {
  readonly record: ReadNamed;
  readonly stack: string | null;
} {
  if (reference !== null) {
    const [record] = readNamed([reference]);
    if (record === undefined) throw new UserError('--reference takes a record');
    // Read twice, one record is still one.
    const same = record.record.digest === results.record.digest;
    return { record: same ? results : record, stack: referenceStack };
  }
  if (referenceStack !== null) return { record: results, stack: referenceStack };
  const [first, second] = stackNames(results.record.batches.map(({ stack }) => stack)).values();
  if (first === undefined || second === undefined)
    throw new UserError('a score needs a reference: --reference RECORD, for this record has one stack only');
  say(`without --reference the record’s first stack, ${first}, scores 1; --reference-stack names another`);
  return { record: results, stack: first };
}

function score(results: ReadNamed, options: Options): ScoreDocument {
  const reference = referenceOf(results, options);
  return scoreStacks({
    results,
    reference: reference.record,
    referenceStack: reference.stack,
    across: options.across,
    force: options.force,
  });
}

function sayUnscored({ scores }: ScoreDocument): void {
  for (const { name, score: value, reason } of scores) {
    if (value === null) say(`${name} has no score: ${reason}`);
  }
}

/**
 * A wrong output is the worst that can be said; a stack without a score for another reason makes the table incomplete.
 * @param document null: no score was asked for
 */
function exitCodeOf(document: ScoreDocument | null, { record }: ReadNamed): number {
  if (record.batches.some(({ verified }) => verified === 'failed')) return EXIT.wrongResult;
  const scores = document?.scores ?? [];
  return scores.some(({ score: value, missing }) => value === null || missing.length > 0)
    ? EXIT.incomplete
    : EXIT.done;
}

/**
 * A resolver adds up all that match of what lies in a folder: a step of other results would speak beside these, or against them.
 * @throws UserError for a folder that has any
 */
function refuseOthers(folder: string, files: readonly string[]): void {
  const others = namesIn(folder).filter((name) => /^pi-bench-.*\.ya?ml$/.test(name) && !files.includes(name));
  const [first, ...more] = others.sort();
  if (first === undefined) return;
  throw new UserError(
    `${folder} holds ${plural(others.length, 'prescription')} that these results do not renew (${first}${more.length === 0 ? '' : ', ...'}), and a resolver adds up all that match: remove ${more.length === 0 ? 'it' : 'them'}, or give another folder with --out`,
  );
}

/** @returns the exit code */
function prescribe(document: ScoreDocument, results: ReadNamed, out: string | null): number {
  const { prescriptions, leftOut, complete } = prescriptionsOf(document, results.record);
  for (const { name, why } of leftOut) say(`no prescription for ${name}: ${why}`);
  if (out === null) {
    process.stdout.write(prescriptions.map(({ yaml }) => yaml).join('---\n'));
  } else {
    const files = prescriptions.map(({ name, yaml }) => ({ file: `${name}.yaml`, yaml }));
    refuseOthers(
      out,
      files.map(({ file }) => file),
    );
    for (const { file, yaml } of files) printText(yaml, join(out, file));
  }
  const code = exitCodeOf(document, results);
  return code === EXIT.done && !complete ? EXIT.incomplete : code;
}

/** @throws UserError for a score that was forced: beside `overall_score` the documents have no place in which to say so */
function refuseForced({ forcedPast, acrossLabels }: ScoreDocument, options: Options): void {
  const unasked = acrossLabels.filter(({ label }) => !options.across.includes(label));
  const [past = unasked.length > 0 ? differencesText(unasked) : null] = forcedPast;
  if (past === null) return;
  const given = [
    ...(options.reference === null ? [] : ['--reference']),
    ...(options.referenceStack === null ? [] : ['--reference-stack']),
  ].join(' and ');
  throw new UserError(
    `Thoth’s documents could not say that their score was forced (${past}): leave ${given} out for documents without a score`,
  );
}

/** @throws UserError for a folder that has documents of this campaign which would not be written anew */
function refuseLeftOver(out: string, others: readonly string[]): void {
  const [first, ...more] = others;
  if (first === undefined) return;
  throw new UserError(
    `${out} holds documents of this campaign from before that it would not write now (${first}${more.length === 0 ? '' : `, ${more.length} more`}), and Thoth would load them with the others: remove ${more.length === 0 ? 'it' : 'them'}, or give another folder with --out`,
  );
}

/** @returns the exit code */
function writeThoth(results: ReadNamed, folder: string, options: Options): number {
  const scored =
    options.reference === null && options.referenceStack === null ? null : score(results, options);
  if (scored === null) say('without --reference the documents have no overall_score');
  else {
    refuseForced(scored, options);
    sayUnscored(scored);
  }
  const scores = new Map((scored?.scores ?? []).map((one) => [stackKey(one.stack), one.score]));
  const scoreOf = ({ stack }: RecordBatch): number | null => scores.get(stackKey(stack)) ?? null;
  const { files, batches, leftOut } = exportThoth(results.record, scoreOf, (file) =>
    readInspection(folder, file),
  );
  for (const why of leftOut) say(`left out ${why}`);
  const out = options.out ?? join(folder, 'thoth');
  refuseLeftOver(
    out,
    leftOver(results.record, files, (path) => namesIn(join(out, path))),
  );
  if (batches === 0) throw new UserError(`${results.name} has nothing that Thoth has a place for`);
  for (const { path, text } of files) writeText(join(out, path), text);
  process.stdout.write(`${out}: ${plural(batches, 'inspection')}, ${plural(files.length, 'file')}\n`);
  const code = exitCodeOf(scored, results);
  return code === EXIT.done && leftOut.length > 0 ? EXIT.incomplete : code;
}

function run(path: string, format: Format, options: Options): void {
  const [results] = readNamed([path]);
  if (results === undefined) throw new UserError('score takes a record');
  if (format === 'thoth') {
    process.exitCode = writeThoth(results, dirname(results.path), options);
    return;
  }
  const document = score(results, options);
  sayUnscored(document);
  if (format === 'prescription') {
    process.exitCode = prescribe(document, results, options.out);
    return;
  }
  if (format === 'json') printText(`${JSON.stringify(document, null, 1)}\n`, options.out);
  else printText(`${renderScore(document, styleFor(options.out))}\n`, options.out);
  process.exitCode = exitCodeOf(document, results);
}

export const scoreCommand: CommandModule = {
  command: 'score <record>',
  describe: 'One number for each stack of a campaign, against a reference record',
  builder: (yargs) =>
    yargs
      .positional('record', {
        type: 'string',
        describe: 'The campaign’s results folder, or its record.json',
        demandOption: true,
      })
      .option('reference', { type: 'string', describe: 'The record that scores 1' })
      .option('reference-stack', {
        type: 'string',
        describe: 'Which stack of the reference; without --reference, a stack of this record',
        defaultDescription: 'its only one; without --reference the first',
      })
      .option('format', {
        type: 'string',
        choices: FORMATS,
        default: 'table',
        describe:
          'prescription: a YAML step for each stack; thoth: result documents, which need no reference',
      })
      .option('across', {
        type: 'string',
        describe: 'Labels that may differ from the reference’s: machine,cpu_model',
      })
      .option('force', {
        type: 'boolean',
        describe: 'Score what is not comparable, or was never verified; the output says so',
      })
      .option('out', {
        type: 'string',
        describe: 'File; a folder for prescription and thoth',
        defaultDescription: 'stdout; for thoth, thoth/ beside the record',
      })
      .example([
        ['$0 score results/stacks --reference results/reference', 'how each stack does against it'],
        ['$0 score results/stacks --reference-stack openblas', 'against one of its own stacks'],
        [
          '$0 score results/stacks --reference results/reference --format prescription --out .',
          'for a resolver',
        ],
        ['$0 score results/stacks --format thoth', 'documents that Thoth’s synchronisation reads'],
      ])
      .epilogue(
        'Exit codes: 0 every stack has a score over all cases, 2 not every one, or the format has no place for something, 3 an output was wrong, 64 no score can be had',
      ),
  handler: ({ record, format, reference, referenceStack, across, force, out }) => {
    const text = (value: unknown): string | null => (value === undefined ? null : String(value));
    run(String(record), FORMATS.find((one) => one === format) ?? 'table', {
      reference: text(reference),
      referenceStack: text(referenceStack),
      across: listOf(across),
      force: force === true,
      out: text(out),
    });
  },
};

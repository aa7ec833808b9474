/** Tidy tables: one row for each batch; on request also one for each sample. */
import { summaryTable } from '../tables.js';
import { csvLine, csvText } from './csv-text.js';
import type { Format, Request } from './format.js';

/** Characters: a launch of many millions of repetitions would be more than a string can hold. */
const PIECE = 1 << 20;

const SAMPLE_COLUMNS = [
  'batch',
  'launch',
  'repetition',
  'entry_seconds',
  'elapsed_seconds',
  'disturbed',
  'status',
  'verified',
  'calls_per_sample',
];

/**
 * Launch by launch, in pieces: six million samples are never held at once as text. Also of launches that do not count, as `status` and `verified` say.
 * `elapsed_seconds` is the mean of so many calls. `disturbed` is empty where the system cannot tell.
 */
async function* sampleText({ read, warn }: Request): AsyncIterable<string> {
  yield csvLine(SAMPLE_COLUMNS);
  for (const { name, launch, status, verified, found } of read.allLaunches()) {
    if ('why' in found) {
      warn(`launch ${launch} ${found.why}`);
      continue;
    }
    const { samples } = found;
    const hit = samples.disturbed === null ? null : new Set(samples.disturbed);
    const ofLaunch = [status, verified, samples.callsPerSample];
    let text = '';
    for (const [i, seconds] of samples.seconds.entries()) {
      const disturbed = hit === null ? null : Number(hit.has(i));
      text += csvLine([name, launch, i, samples.entries[i] ?? null, seconds, disturbed, ...ofLaunch]);
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}

export const csv: Format = {
  name: 'csv',
  kind: 'text',
  place: '',
  async *text(request) {
    if (request.samples) yield* sampleText(request);
    else yield csvText(summaryTable(request.read.report));
  },
  async *files(request) {
    yield { name: 'summary.csv', text: csvText(summaryTable(request.read.report)) };
    if (request.samples) yield { name: 'samples.csv', text: sampleText(request) };
  },
};

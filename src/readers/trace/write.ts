/**
 * Writes a trace file, event by event: the whole of it never stands in memory. `.gz` packs it, which Perfetto and
 * chrome://tracing open as it is.
 */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { messageOf, systemCode, UserError } from '../../errors.js';
import type { PiBenchRecord } from '../../record/schema.js';
import { temporaryOf } from '../../store/atomic.js';
import { eventObject } from './events.js';
import { type TraceInput, type TraceSummary, traceOf } from './trace.js';

export interface WrittenTrace extends TraceSummary {
  readonly path: string;
  readonly events: number;
}

/** Characters that are handed on at once. */
const CHUNK = 1 << 16;

function otherData({ campaign, piBench }: PiBenchRecord, { repetitions, oneByOne }: TraceSummary): object {
  return {
    campaign: campaign.id,
    command: campaign.command.join(' '),
    piBench: piBench.version,
    timeZero: campaign.createdAt,
    repetitions,
    repetitionsDrawnOneByOne: oneByOne,
    reduced:
      oneByOne < repetitions
        ? 'yes: of each launch the first repetitions and the disturbed ones (the slowest, where they are many) have slices of their own; a slice named "N repetitions" stands for so many'
        : 'no: every repetition has its slice',
    moments:
      'launches lie where the wall clock says (milliseconds); inside a launch the monotonic clock counts; when in `measure` the first repetition began is not recorded, so the last is taken to end with it',
  };
}

function* traceText(
  input: TraceInput,
  onEnd: (events: number, end: TraceSummary) => void,
): Generator<string> {
  const events = traceOf(input);
  let text = '{"displayTimeUnit":"ms","traceEvents":[\n';
  let count = 0;
  let step = events.next();
  for (; step.done !== true; step = events.next()) {
    text += `${count++ === 0 ? '' : ',\n'}${JSON.stringify(eventObject(step.value))}`;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  onEnd(count, step.value);
  // chrome://tracing reads the one, Perfetto the other.
  const about = JSON.stringify(otherData(input.record, step.value));
  yield `${text}\n],"otherData":${about},"metadata":${about}}\n`;
}

/**
 * @param path of the file; it is whole or absent
 * @throws UserError when it cannot be written
 */
export async function writeTrace(path: string, input: TraceInput): Promise<WrittenTrace> {
  const temporary = temporaryOf(path);
  let written: WrittenTrace = { path, events: 0, launches: 0, repetitions: 0, oneByOne: 0 };
  const text = Readable.from(
    traceText(input, (events, end) => {
      written = { path, events, ...end };
    }),
  );
  try {
    const file = createWriteStream(temporary, { flags: 'wx' });
    if (path.endsWith('.gz')) await pipeline(text, createGzip(), file);
    else await pipeline(text, file);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (systemCode(error) === null) throw error;
    throw new UserError(`cannot write the trace ${path}: ${messageOf(error)}`);
  }
  return written;
}

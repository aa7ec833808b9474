/** What is done with a verdict, whether it came at a go or after a kill: record, terminal, formats, gateway, the cached answer. */
import { dirname, join } from 'node:path';
import { EXIT, messageOf, messageWithCause } from '../../errors.js';
import { isJudged } from '../../qualify/formats/index.js';
import { renderQualification } from '../../readers/terminal/qualification.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import type { PiBenchRecord, Qualification } from '../../record/schema.js';
import { RECORD } from '../../store/store.js';
import { say } from '../say.js';
import { type Gateway, push } from './gateway.js';
import { keepVerdict, type Wanted, writeFormats } from './outputs.js';
import type { Qualified } from './qualify.js';

const EXITS: Readonly<Record<Qualification['outcome'], number>> = {
  qualified: EXIT.done,
  'not-qualified': EXIT.answerIsNo,
  inconclusive: EXIT.incomplete,
};

export interface Delivery {
  /** The record on stdout and nothing else there. */
  readonly json: boolean;
  readonly wanted: readonly Wanted[];
  /** null: none. */
  readonly gateway: Gateway | null;
}

export const exitOf = ({ outcome }: Qualification): number => EXITS[outcome];

/** Prints a verdict, unless stdout is another's. */
export function printVerdict(record: PiBenchRecord, path: string, { json, wanted }: Delivery): void {
  if (json) process.stdout.write(`${JSON.stringify(record, null, 1)}\n`);
  else if (!wanted.some(({ place }) => place === '-'))
    process.stdout.write(`${renderQualification(record, path, terminalStyle(process.stdout))}\n`);
}

/** Whoever looks at a file or a gateway next would take what lies there for today's: where the verdict is a yes, that is none yet. */
function sayIncomplete(): void {
  process.exitCode ||= EXIT.incomplete;
}

/**
 * Beside what was measured, wherever that has to go. A verdict is told also where that is nowhere: an earlier one would stand in its place.
 * @returns where it is, or would be
 */
function keepRecord({ record, store }: Pick<Qualified, 'record' | 'store'>): string {
  try {
    return store.writeRecord(record);
  } catch (error) {
    sayIncomplete();
    say(`the verdict stands, but its record cannot be written: ${messageOf(error)}`);
    return join(store.folder(), RECORD);
  }
}

/** Sets the exit code. */
export async function deliver(
  { record, qualification, store, signalled }: Qualified,
  delivery: Delivery,
): Promise<void> {
  if (!isJudged(record)) throw new Error('the record lost its verdict');
  process.exitCode = signalled ?? exitOf(qualification);
  const path = keepRecord({ record, store });
  printVerdict(record, path, delivery);
  try {
    await keepVerdict(record, path);
  } catch (error) {
    say(`pi-bench verdict will not know of this: ${messageOf(error)}`);
  }
  const { said, whole } = await writeFormats(record, path, delivery.wanted);
  for (const line of said) say(line);
  if (!whole) sayIncomplete();
  const { gateway } = delivery;
  if (gateway === null) return;
  try {
    await push(record, gateway);
  } catch (error) {
    sayIncomplete();
    say(
      `the verdict stands, but ${gateway.address} did not take it: ${messageWithCause(error)}; the record is in ${dirname(path)}`,
    );
  }
}

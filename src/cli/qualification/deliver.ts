/** What is done with a verdict, whether it came at a go or after a kill: record, terminal, formats, gateway, the cached answer. */
import { dirname, join } from 'node:path';
import { EXIT, messageOf, messageWithCause } from '../../errors.js';
import { sameMachine } from '../../machine/same-machine.js';
import type { MachineDescription } from '../../machine/types.js';
import { machineOf } from '../../qualify/baseline-key.js';
import { isJudged, type Judged } from '../../qualify/formats/index.js';
import { renderQualification } from '../../readers/terminal/qualification.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import type { PiBenchRecord, Qualification } from '../../record/schema.js';
import { RECORD } from '../../store/store.js';
import { say } from '../say.js';
import { type Gateway, push } from './gateway.js';
import { keepVerdict, newerVerdict, type Wanted, writeFormats } from './outputs.js';
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

const exitOf = ({ outcome }: Qualification): number => EXITS[outcome];

/** Prints a verdict, unless stdout is another's. */
function printVerdict(record: PiBenchRecord, path: string, { json, wanted }: Delivery): void {
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

async function putFormats(record: Judged, path: string, wanted: Delivery['wanted']): Promise<void> {
  const { said, whole } = await writeFormats(record, path, wanted);
  for (const line of said) say(line);
  if (!whole) sayIncomplete();
}

/** Wherever it has to go beside its record. @param path of the record */
async function handOut(record: Judged, path: string, delivery: Delivery): Promise<void> {
  printVerdict(record, path, delivery);
  try {
    for (const line of await keepVerdict(record, path)) say(line);
  } catch (error) {
    say(`pi-bench verdict will not know of this: ${messageOf(error)}`);
  }
  await putFormats(record, path, delivery.wanted);
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

/** Sets the exit code. */
export async function deliver(
  { record, qualification, store, signalled }: Qualified,
  delivery: Delivery,
): Promise<void> {
  if (!isJudged(record)) throw new Error('the record lost its verdict');
  process.exitCode = signalled ?? exitOf(qualification);
  await handOut(record, keepRecord({ record, store }), delivery);
}

interface NotOfNow {
  readonly why: string;
  /** Whether this may be where all that was to get it should have got it. */
  readonly maybeHere: boolean;
}

/** Why others must not take it for what this machine is now; null: nothing speaks against it. @param path of the record */
function whyNotOfNow(record: Judged, path: string, here: MachineDescription): NotOfNow | null {
  const there = machineOf(record);
  const { hostname } = there.os;
  const sameness = sameMachine(there, here);
  if (sameness === 'other')
    return { why: `this is not the machine that it is of (${hostname})`, maybeHere: false };
  if (sameness === 'unknown') {
    const why = `nobody can tell whether this is still the machine that it is of (${hostname})`;
    return { why, maybeHere: true };
  }
  const newer = newerVerdict(record, path);
  return newer === null
    ? null
    : { why: `a newer verdict of suite ${newer.suite} is kept here`, maybeHere: false };
}

const staysHere = ({ place }: Wanted): boolean => place === null || place === '-';

/**
 * One that was come to before: what did not get it then, because of a kill, a full disk or a gateway that was away, gets it now. Sets the
 * exit code.
 * @param path of the record
 */
export async function deliverAgain(
  record: Judged,
  path: string,
  here: MachineDescription,
  delivery: Delivery,
): Promise<void> {
  process.exitCode = exitOf(record.qualification);
  const not = whyNotOfNow(record, path, here);
  if (not === null) return handOut(record, path, delivery);
  say(`it goes nowhere but here and into its folder: ${not.why}`);
  if (not.maybeHere && (delivery.gateway !== null || !delivery.wanted.every(staysHere))) sayIncomplete();
  printVerdict(record, path, delivery);
  await putFormats(record, path, delivery.wanted.filter(staysHere));
}

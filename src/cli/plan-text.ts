/** What a campaign would measure and what it may cost, for who asks before it begins. Pure. */
import { findIndicator } from '../indicators/index.js';
import { formatSeconds, formatShare, plural } from '../quantities/format.js';
import { wrap } from '../readers/terminal/style.js';
import { groupsOf } from '../record/at-once.js';
import type { BatchSpec, Campaign } from '../record/schema.js';
import { stackText } from '../stacks/index.js';

const HANGING = '  ';

function launchesText({ inspections, precision, settle, sampling }: BatchSpec): string {
  const each =
    sampling.kind === 'fixed'
      ? plural(sampling.repetitions, 'repetition')
      : formatSeconds(sampling.seconds, 3);
  const launches = `${plural(inspections, 'launch', 'launches')} of ${each}`;
  if (settle !== undefined) return `up to ${launches} to settle it within ${formatShare(settle)}`;
  return precision === undefined ? launches : `up to ${launches} for ±${formatShare(precision)}`;
}

/** With what else tells it from others of its case: its stack, where it runs, whether beside others, the words of who measures. */
function batchText(batch: BatchSpec): string {
  const { case: one, stack, device, atOnce, labels = {} } = batch;
  const parts = [
    findIndicator(one.indicator).title(one.parameters),
    stack.own ?? stackText(stack),
    ...(device === 'cpu' ? [] : [`on ${device}`]),
    ...(atOnce === true ? ['at once'] : []),
    ...Object.entries(labels).map(([name, value]) => `${name} ${value}`),
  ];
  return `${parts.join(', ')}: ${launchesText(batch)}`;
}

/**
 * Of the repetitions alone; what a launch takes beside them, and how long a fixed number of them is, only measuring tells. Batches that
 * are measured at the same time take the time of one.
 */
function timeTexts(batches: readonly BatchSpec[]): readonly string[] {
  const groups = groupsOf(batches);
  const byLook = batches.filter(
    ({ precision, sampling }) => precision !== undefined && sampling.kind !== 'fixed',
  );
  const fixed = batches.filter(({ sampling }) => sampling.kind === 'fixed');
  const secondsOf = (settles: boolean): readonly number[] =>
    batches.flatMap(({ precision, settle, inspections, sampling }, i) =>
      precision !== undefined || sampling.kind === 'fixed' || (settle !== undefined) !== settles
        ? []
        : (inspections * sampling.seconds) / (groups[i]?.length ?? 1),
    );
  const timed = secondsOf(false);
  const settling = secondsOf(true);
  const sum = (all: readonly number[]): string =>
    formatSeconds(
      all.reduce((total, one) => total + one, 0),
      3,
    );
  const of = ({ length }: readonly unknown[]): string => `of ${plural(length, 'batch', 'batches')}`;
  return [
    ...(timed.length === 0
      ? []
      : [`${of(timed)} the repetitions take ${sum(timed)} in all, more only where few of them do`]),
    ...(settling.length === 0
      ? []
      : [
          `${of(settling)} the repetitions take ${sum(settling)} in all at most, less where they settle before`,
        ]),
    ...(byLook.length === 0 ? [] : [`${of(byLook)} the first three launches decide how long the others are`]),
    ...(fixed.length === 0
      ? []
      : [`${of(fixed)} the number of repetitions is fixed, and their time not known`]),
  ];
}

const mostText = ({ budget }: Campaign): string =>
  budget == null
    ? 'no budget: it ends with its last launch (budget: 10min in the file ends it before)'
    : `at most ${formatSeconds(budget, 3)} (budget): no launch is begun that would end after it`;

/** A paragraph for each batch, and what all of them come to. */
export function planText(campaign: Campaign, width: number): string {
  const { batches, seed } = campaign;
  const paragraphs = [
    ...batches.map(batchText),
    `${plural(batches.length, 'batch', 'batches')}, seed ${seed}`,
    ...timeTexts(batches),
    mostText(campaign),
  ];
  return paragraphs
    .flatMap((text) => wrap(text, width - HANGING.length).map((line, i) => (i === 0 ? line : HANGING + line)))
    .join('\n');
}

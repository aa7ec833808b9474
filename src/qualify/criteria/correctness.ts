/** Whether what each launch left is right, and every launch came to its end. A wrong output fails at once: nothing makes it right. Pure. */
import { plural } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { causeNamed } from '../causes.js';
import { atLeast, atMost } from '../findings.js';
import { coveredFindings } from './covered.js';
import { type Criterion, judgeBatches, nothingToShow, whyNotEnded } from './criterion.js';

/** The output of the last repetition, and of one call more: what earlier repetitions wrote was written over. */
const LOOKED_AT = 'what each launch left is checked';

/** A check of no element at all has found nothing wrong, and says nothing. */
const verifiedLaunches = ({ inspections }: RecordBatch): number =>
  inspections.filter(({ verification }) => verification?.passed === true && verification.checked > 0).length;

const wrongLaunches = ({ inspections }: RecordBatch) =>
  inspections.filter(({ status, verification }) => status === 'wrong' || verification?.passed === false);

export const correctness: Criterion<'correctness'> = {
  kind: 'correctness',
  repeats: false,
  judge: (check, context) =>
    judgeBatches(check, context, (batch) => {
      const wrong = wrongLaunches(batch);
      const first = wrong
        .map(({ verification }) => verification?.firstWrong)
        .find((text) => text !== undefined);
      const source = batch.inspections.find(({ verification }) => verification !== null)?.verification
        ?.method;
      const findings = [
        atMost({ quantity: 'wrong_launches', measured: wrong.length, source: source ?? LOOKED_AT }, 0),
        atLeast(
          {
            quantity: 'verified_launches',
            measured: verifiedLaunches(batch),
            source: LOOKED_AT,
            otherwise: 'inconclusive',
          },
          // What is wrong was looked at too.
          Math.max(1, batch.measured),
        ),
      ];
      return {
        // A file that does not ask for it has a say in what a lost launch comes to; what was measured and not looked at it has none in.
        possible: check.implied !== true || wrong.length > 0 || batch.measured > 0,
        // One wrong output says all there is to say.
        findings:
          wrong.length > 0 ? findings.slice(0, 1) : [...findings, ...coveredFindings(batch, context.machine)],
        cause: wrong.length > 0 ? causeNamed('wrong-result') : nothingToShow(batch),
        ...(first === undefined ? {} : { because: first }),
      };
    }),
};

export const complete: Criterion<'complete'> = {
  kind: 'complete',
  repeats: false,
  judge: (check, context) =>
    judgeBatches(check, context, ({ planned, inspections }) => {
      // A wrong output came to its end: that it is wrong the other criterion says.
      const ended = inspections.filter(({ status }) => status === 'measured' || status === 'wrong').length;
      const lost = inspections.filter(({ status }) => status !== 'measured' && status !== 'wrong');
      const [first] = lost;
      const reason =
        first === undefined
          ? ended < planned
            ? context.record?.status === 'interrupted'
              ? 'it was interrupted'
              : 'the time was up'
            : undefined
          : `${plural(lost.length, 'launch', 'launches')} ${first.status}: ${first.reason ?? 'no reason is known'}`;
      return {
        findings: [
          atLeast(
            {
              quantity: 'launches',
              measured: ended,
              source: 'the suite',
              otherwise: 'inconclusive',
            },
            Math.max(1, planned),
          ),
        ],
        cause: whyNotEnded(lost),
        ...(reason === undefined ? {} : { because: reason }),
      };
    }),
};

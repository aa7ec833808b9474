/**
 * Which of several sides is faster, case by case, as a document: ratios with their intervals, verdicts, groups, and what was
 * not compared and why. Pure.
 */
import { RISK } from '../../statistics/compare.js';
import { LEVEL } from '../../statistics/interval.js';
import { circumstanceNotes } from './circumstances.js';
import { differencesOf, differencesText, mergeDifferences, refuseDifferent } from './comparable.js';
import type { ComparisonDocument, Outcome, Question } from './document.js';
import { judgedCases } from './judged-cases.js';
import { missingIn, unpublishedIn, wrongIn } from './not-compared.js';
import { notesOf } from './notes.js';
import { overallOf } from './overall.js';
import { faultyNames, refuseTwice, refuseUntrusted, requireCommon, requireLabels } from './refusals.js';
import { comparedBy, matchCases, type NamedRecord, sidesOf } from './sides.js';

/** The worst that was found. */
function answerOf(outcomes: readonly Outcome[]): Outcome {
  for (const one of ['wrong output', 'slower', 'not measured', 'cannot tell', 'faster'] as const) {
    if (outcomes.includes(one)) return one;
  }
  return 'same';
}

/**
 * @param records at least one
 * @throws UserError for what cannot be compared, with the reason and what to do
 */
export function compareRecords(records: readonly NamedRecord[], question: Question): ComparisonDocument {
  const { across, force } = question;
  refuseTwice(records);
  const by = comparedBy(question.by, records);
  const sides = sidesOf(records, by, question.reference);
  requireLabels(across, sides);
  const matched = matchCases(sides, by, across);
  requireCommon(matched, sides, [by, ...across]);
  const common = matched.filter(
    ({ entries }) => entries[0] != null && entries.filter((one) => one !== null).length > 1,
  );
  const present = common.map((one) => one.entries.filter((entry) => entry !== null));
  const apart = new Set([by, ...across]);
  const found = present.map((entries) => differencesOf(entries, apart));
  const barring = mergeDifferences(found.flatMap((one) => one.barring));
  const allowed = mergeDifferences(found.flatMap((one) => one.allowed)).filter(({ label }) => label !== by);
  const given = mergeDifferences(found.flatMap((one) => one.given));
  if (!force) {
    refuseDifferent(barring);
    refuseUntrusted(present.flat());
  }
  const cases = judgedCases(common, sides, question.margin);
  const pairs = cases.flatMap(({ comparisons }) => comparisons);
  const missing = missingIn(matched, sides);
  const wrong = wrongIn(
    matched.filter((one) => !common.includes(one)),
    sides,
  );
  return {
    kind: 'pi-bench comparison',
    schemaVersion: 1,
    by,
    reference: sides[0]?.name ?? '',
    sides: sides.map(({ name, entries: own }) => ({
      name,
      campaigns: [...new Set(own.map(({ of }) => of.record.campaign.id))],
    })),
    margin: Math.max(...pairs.map(({ margin }) => margin)),
    level: LEVEL,
    risk: RISK,
    cases,
    overall: overallOf(
      cases,
      sides.slice(1).map(({ name }) => name),
    ),
    // Few of many are shown: what is wrong first.
    notCompared: [...wrong, ...unpublishedIn(common, sides), ...missing],
    acrossLabels: [...allowed, ...(force ? barring : [])],
    forced: force,
    notes: [
      ...faultyNames(present.flat()).map(
        (name) => `${name} has an error injected on purpose: it measures no software`,
      ),
      ...(given.length === 0 ? [] : [`differ by your labels: ${differencesText(given)}`]),
      ...circumstanceNotes(common, sides, by),
      ...notesOf(present.flat(), pairs),
    ],
    answer: answerOf([
      ...pairs.map(({ outcome }) => outcome),
      ...wrong.map((): Outcome => 'wrong output'),
      ...missing.map((): Outcome => 'not measured'),
    ]),
  };
}

// npm run bench:coverage: how often the 95 % intervals of records contain the truth, on synthetic launches whose truth is
// known and on the launches of real campaigns, beside what others' procedures would have covered; see bench-coverage/.
import { writeFileSync } from 'node:fs';
import { readOptions, USAGE } from './bench-coverage/options.mjs';
import { replay } from './bench-coverage/replay.mjs';
import {
  coverageTable,
  HIGH,
  heading,
  LOW,
  methodsTable,
  misses,
  mostMissing,
  replayed,
  replayedInShort,
  sequentialTable,
  spendingTable,
  withinTable,
} from './bench-coverage/report.mjs';
import { EFFECTS, MOODS, NOISES } from './bench-coverage/series.mjs';
import { simulateFixed, simulateSequential, TARGETS } from './bench-coverage/simulate.mjs';
import { COSTS, SPREADS, simulateSpending, TARGET } from './bench-coverage/spend.mjs';
import { simulateWithin } from './bench-coverage/within.mjs';
import { commandGiven } from './lib/machine-lines.mjs';
import { progress } from './lib/progress.mjs';

/** The methods are shown side by side at this number of launches. */
const SIDE_BY_SIDE = 20;
const MOST_NAMED = 5;

function fixedSettings(options) {
  return Object.entries(NOISES).flatMap(([noise, noiseKind], i) =>
    Object.entries(EFFECTS).map(([effect, effectKind], j) => {
      progress(`${noise}; launches: ${effect}`);
      const seed = options.seed + 1000 * i + j;
      return { noise, effect, result: simulateFixed(noiseKind, effectKind, { ...options, seed }) };
    }),
  );
}

/** Each noise with normal launches, and independent noise with each kind of launches. */
function sequentialSettings(options) {
  const pairs = [
    ...Object.keys(NOISES).map((noise) => [noise, 'normal']),
    ...Object.keys({ ...EFFECTS, ...MOODS }).flatMap((effect) =>
      effect === 'normal' ? [] : [['independent', effect]],
    ),
  ];
  return pairs.flatMap(([noise, effect], i) =>
    TARGETS.map((target, j) => {
      progress(`to a target: ${noise}; launches: ${effect}`);
      const seed = options.seed + 100_000 + 1000 * i + j;
      const result = simulateSequential(NOISES[noise], { ...EFFECTS, ...MOODS }[effect], target, {
        ...options,
        seed,
      });
      return { noise, effect, target, result };
    }),
  );
}

/** Trials of what a precision spends: each is a campaign. */
const SPENDING_SHARE = 0.2;

function spendingSettings({ trials: all, seed }) {
  const trials = Math.ceil(SPENDING_SHARE * all);
  return SPREADS.map((spread, i) => {
    progress(`what a precision spends: ${i + 1} of ${SPREADS.length}`);
    return { ...spread, trials, result: simulateSpending(spread, trials, seed + 200_000 + 1000 * i) };
  });
}

function verdict(settings, name, trials) {
  const all = settings.flatMap(({ noise, effect, result }) =>
    result.byCount.map(({ k, coverage }) => ({ noise, effect, k, share: coverage[name] })),
  );
  const outside = all.filter(({ share }) => misses(share, trials));
  const range = `from ${(100 * Math.min(...all.map(({ share }) => share))).toFixed(1)} to ${(100 * Math.max(...all.map(({ share }) => share))).toFixed(1)} %`;
  const named = outside
    .slice(0, MOST_NAMED)
    .map(
      ({ noise, effect, k, share }) => `${noise}, ${effect}, ${k} launches: ${(100 * share).toFixed(1)} %`,
    );
  return `${name}: ${all.length - outside.length} of ${all.length} settings within ${100 * LOW} to ${100 * HIGH} %, chance allowed for; ${range}${named.length === 0 ? '' : ` (outside: ${named.join('; ')}${outside.length > named.length ? '; ...' : ''})`}`;
}

const given = ({ records, markdown }) =>
  commandGiven('bench:coverage', {
    ...Object.fromEntries(records.map((path) => [path, 'DIR'])),
    ...(markdown === undefined ? {} : { [markdown]: 'FILE' }),
  });

function main() {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return process.stdout.write(USAGE);
  const began = performance.now();
  const written = [];
  const print = (text) => {
    written.push(text);
    process.stdout.write(`${text}\n\n`);
  };
  const printWithin = () => {
    progress('within one launch');
    const within = simulateWithin(options);
    progress('');
    print('## The interval within one launch');
    print(
      `Of ${options.trials} launches each: how many of 100 intervals contain the median of a launch without end of this kind; of how many, as so many of 100 launches have one; and their width over that of order statistics of repetitions that are known to be independent (median). Fewer than 15 repetitions have none, nor such as may be worth fewer than 5.3 independent ones by what they show.`,
    );
    print(withinTable(within));
    print(
      `A long memory can hardly be seen in few repetitions. Then few launches have an interval, which are those that hide it, and theirs covers much less than 95 %; of all launches, no more than ${mostMissing(within)} in 100 have one that misses.`,
    );
  };
  const end = () => {
    process.stderr.write(`bench-coverage: ${((performance.now() - began) / 1e3).toFixed(0)} s\n`);
    if (options.markdown !== undefined) writeFileSync(options.markdown, `${written.join('\n\n')}\n`);
  };
  if (options.within) {
    printWithin();
    return end();
  }
  print(heading(options, given(options)));
  // Records first: what cannot be read should not end a run of minutes.
  const records = options.records.flatMap((path) => replay(path, options));
  const settings = fixedSettings(options);
  progress('');
  print('## The interval of the median');
  print(coverageTable(settings, 'median', options.trials));
  print('## The interval of p5');
  print(coverageTable(settings, 'p5', options.trials));
  print('## The interval of p95');
  print(coverageTable(settings, 'p95', options.trials));
  print(`## Beside others, ${SIDE_BY_SIDE} launches (criterion: one)`);
  print(methodsTable(settings, SIDE_BY_SIDE));
  printWithin();
  const sequential = sequentialSettings(options);
  const spending = spendingSettings(options);
  progress('');
  print('## Until a precision is reached');
  print(`Looked at after each launch, at most 300; ${sequential[0].result.runs} trials. Truth as above.`);
  print(sequentialTable(sequential));
  print('## What a precision spends');
  print(
    `±${100 * TARGET} %, with the schedule of --precision from its pilots on: a launch costs ${COSTS.costOfLaunch} s beside its repetitions of ${1e3 * COSTS.costOfRepetition} ms. Medians of ${spending[0].trials} campaigns; the best is what the best of some fixed numbers of repetitions takes, chosen by who knows both spreads. Spreads are standard deviations.`,
  );
  print(spendingTable(spending));
  if (records.length > 0) {
    print('## Real launches, replayed');
    for (const one of records) print(replayed(one));
  }
  print('## In short');
  print(
    [
      ...['median', 'p5', 'p95'].map((name) => verdict(settings, name, options.trials)),
      ...records.map(replayedInShort),
    ]
      .map((text) => `- ${text}`)
      .join('\n'),
  );
  end();
}

try {
  main();
} catch (error) {
  process.stderr.write(`bench-coverage: ${error.message}\n`);
  process.exitCode = 1;
}

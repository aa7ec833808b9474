/**
 * `qualify --self-test`: a verdict that cannot be bad is worth nothing. Faults of five kinds are injected into real
 * qualifications, and each has to come to its exit code with its cause; one without a fault has to be qualified. While others work on
 * the machine nobody can tell, as it should be: such a case is tried again.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../errors.js';
import { monotonic } from '../../inspection/job.js';
import { parseSuite, type Suite } from '../../qualify/suite.js';
import { standingInTheWay } from '../../qualify/wording.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import type { Campaign, Qualification } from '../../record/schema.js';
import type { Seconds } from '../../units.js';
import { describeHere } from '../here.js';
import { qualify } from './qualify.js';
import { lookAround } from './surroundings.js';

/** Short launches of one thread, so that a busy machine disturbs them little; the criteria are those of the shipped suites. */
const SUITE = `
name: self-test
cooldown: 100ms
campaign:
  seed: 1
  measure:
    - indicator: matmul
      parameters: { size: 256, threads: 1 }
      duration: 1s
      inspections: 2
      warmup: 300ms
      timeout: 10s
      labels: { part: gemm }
checks:
  - { check: correctness }
  - { check: complete }
  - { check: efficiency, atLeast: 0.6 }
  - { check: sustained, atLeast: 0.85 }
`;

interface Expectation {
  readonly what: string;
  readonly fault: Campaign['fault'];
  readonly code: 0 | 1 | 2;
  /** Kind of the check that has to stand in the way; null: none may. */
  readonly check: string | null;
}

const AT = 20;
/** Of a case that other work on the machine kept from being judged. */
const MOST_TRIES = 5;
/** Of all cases together: on a machine that stays busy it has to come to its end. */
const MOST_AGAIN = 8;
const MOST_WAIT: Seconds = 20;
const QUIET = 0.1;

const EXPECTATIONS: readonly Expectation[] = [
  { what: 'no fault', fault: null, code: 0, check: null },
  {
    what: 'a flipped bit',
    fault: { inspection: 0, kind: 'wrong-element', at: AT },
    code: 1,
    check: 'correctness',
  },
  {
    what: 'a slow-down to half',
    fault: { batch: 0, kind: 'repeated-work', share: 1 },
    code: 1,
    check: 'efficiency',
  },
  { what: 'a throttle by a third', fault: { kind: 'stopped', share: 0.33 }, code: 1, check: 'sustained' },
  { what: 'a hang', fault: { inspection: 0, kind: 'stall', at: AT }, code: 2, check: 'complete' },
  { what: 'a crash', fault: { inspection: 0, kind: 'crash', at: AT }, code: 2, check: 'complete' },
];

const CODES: Readonly<Record<Qualification['outcome'], number>> = {
  qualified: EXIT.done,
  'not-qualified': EXIT.answerIsNo,
  inconclusive: EXIT.incomplete,
};

interface Result {
  readonly right: boolean;
  /** What it came to, and why. */
  readonly saw: string;
  /** Other work on the machine kept it from being judged. */
  readonly busy: boolean;
  /** Exit code of a signal that came; null: none did. */
  readonly signalled: number | null;
}

async function tryOne({ fault, code, check }: Expectation, suite: Suite, out: string): Promise<Result> {
  const machine = describeHere();
  const { qualification, came: signalled } = await qualify({
    suite,
    machine,
    // That others work here is no matter of this test, but what they do to its launches is.
    lookAround: async () => ({ busy: null, memoryErrors: null }),
    expected: {},
    baseline: null,
    history: [],
    out,
    command: ['qualify', '--self-test'],
    began: monotonic(),
    startedAt: new Date().toISOString(),
    budget: null,
    deadline: null,
    quiet: true,
    wait: true,
    fault,
  });
  const way = standingInTheWay(qualification);
  const found = check === null ? way.length === 0 : way.some(({ kind }) => kind === check);
  const came = CODES[qualification.outcome];
  const [first] = check === null ? way : way.filter(({ kind }) => kind === check);
  const reason = (first ?? way[0])?.reason ?? 'nothing stands in the way';
  return {
    right: found && came === code,
    saw: `exit code ${came}: ${reason}`,
    busy: way.some(({ cause }) => cause === 'busy'),
    signalled,
  };
}

interface TriedResult extends Result {
  readonly tries: number;
}

/** Waits until nobody else works here, but not for ever. */
async function waitForQuiet(): Promise<void> {
  const until = monotonic() + MOST_WAIT;
  while (monotonic() < until) {
    const { busy } = await lookAround();
    if (busy === null || busy <= QUIET) return;
  }
}

/**
 * What other work kept from being judged says nothing of the qualification: it is tried again, when it is quieter.
 * @param most tries
 */
async function tryUntilJudged(
  expectation: Expectation,
  suite: Suite,
  out: string,
  most: number,
): Promise<TriedResult> {
  for (let tries = 1; ; tries++) {
    const result = await tryOne(expectation, suite, out);
    const judged = result.right || !result.busy || result.signalled !== null;
    if (judged || tries >= most) return { ...result, tries };
    process.stdout.write(
      `  busy   ${expectation.what}: other work kept it from being judged; once more (${tries + 1} of at most ${most})\n`,
    );
    await waitForQuiet();
  }
}

const triesText = ({ tries }: TriedResult): string => (tries === 1 ? '' : `, in try ${tries}`);

/** @returns the exit code: 0 all were judged rightly, 1 one was not, 2 other work kept one from being judged */
export async function testQualification(): Promise<number> {
  const style = terminalStyle(process.stdout);
  const suite = parseSuite(SUITE, 'self-test', () => '');
  const out = mkdtempSync(join(tmpdir(), 'pi-bench-qualify-'));
  const results: TriedResult[] = [];
  try {
    for (const expectation of EXPECTATIONS) {
      const again = results.reduce((sum, { tries }) => sum + tries - 1, 0);
      const most = Math.min(MOST_TRIES, 1 + MOST_AGAIN - again);
      const result = await tryUntilJudged(expectation, suite, out, most);
      if (result.signalled !== null) return result.signalled;
      results.push(result);
      const word = result.right
        ? style.good('right')
        : result.busy
          ? style.warn('busy ')
          : style.bad('WRONG');
      process.stdout.write(
        `  ${word}  ${expectation.what}: exit code ${expectation.code} expected${triesText(result)}\n         ${style.dim(result.saw)}\n`,
      );
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  const wrong = results.filter(({ right }) => !right);
  if (wrong.length === 0) return EXIT.done;
  return wrong.every(({ busy }) => busy) ? EXIT.incomplete : EXIT.answerIsNo;
}

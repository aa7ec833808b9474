import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderScore } from '../../src/readers/terminal/score.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { prescriptionsOf, stepScore } from '../../src/score/prescription.js';
import { scoreStacks } from '../../src/score/score.js';
import { ownIdentity } from '../support/own-stacks.js';
import { aboutSeconds, type DescribedBatch, recordOf } from '../support/records.js';

const batch = (stack: DescribedBatch['stack'], seconds: number): DescribedBatch => ({
  stack: { version: '0.3.26', ...stack },
  launches: aboutSeconds(seconds),
});

function prescribe(batches: readonly DescribedBatch[], labels = {}) {
  const reference = recordOf({ id: 'reference', batches: [batch({ provider: 'base' }, 1)], labels });
  const results = recordOf({ id: 'results', batches, labels });
  const document = scoreStacks({
    results: { record: results, name: 'results' },
    reference: { record: reference, name: 'reference' },
    referenceStack: null,
    across: [],
    force: false,
  });
  return prescriptionsOf(document, results.labels);
}

interface Unit {
  readonly name: string;
  readonly type: string;
  readonly should_include: Record<string, unknown>;
  readonly match: { readonly package_version: Record<string, string> };
  readonly run: {
    readonly score: number;
    readonly justification: readonly {
      readonly type: string;
      readonly message: string;
      readonly link: string;
    }[];
  };
}

const unitOf = (yaml: string): Unit => {
  const units = (parse(yaml) as { units: { steps: Unit[] } }).units.steps;
  expect(units).toHaveLength(1);
  return units[0] as Unit;
};

describe('a prescription', () => {
  it('is one step that matches the package in its version, with log2 of the score', () => {
    const { prescriptions } = prescribe([batch({ provider: 'OpenBLAS' }, 1 / Math.SQRT2)]);
    expect(prescriptions.map(({ name }) => name)).toEqual(['pi-bench-OpenBLAS']);
    const unit = unitOf(prescriptions[0]?.yaml ?? '');
    expect(unit).toMatchObject({
      type: 'step',
      should_include: { adviser_pipeline: true },
      match: { package_version: { name: 'openblas', version: '==0.3.26' } },
    });
    expect(unit.run.score).toBeCloseTo(0.5, 6);
    expect(unit.run.justification[0]).toMatchObject({ type: 'INFO', link: 'pi-bench-score' });
    expect(unit.run.justification[0]?.message).toMatch(/OpenBLAS reaches 1\.414 times the rate of base/);
  });

  it('stays between -1 and 1, which is all that a step may say', () => {
    const interval = { low: 7, high: 9 };
    expect(stepScore({ score: 8, interval })).toBe(1);
    expect(stepScore({ score: 1 / 8, interval: { low: 0.1, high: 0.2 } })).toBe(-1);
  });

  it('says 0 where the difference may be chance, or nobody knows, and writes it as 0.0', () => {
    expect(stepScore({ score: 1.2, interval: { low: 0.9, high: 1.5 } })).toBe(0);
    expect(stepScore({ score: 1.2, interval: null })).toBe(0);
    const { prescriptions } = prescribe([batch({ provider: 'blis' }, 1)]);
    expect(prescriptions[0]?.yaml).toMatch(/score: 0\.0\n/);
  });

  it('holds for the processor on which it was measured', () => {
    const { prescriptions } = prescribe([batch({ provider: 'blis' }, 0.5)], {
      cpu_family_model_stepping: '25-17-1',
    });
    expect(unitOf(prescriptions[0]?.yaml ?? '').should_include).toEqual({
      adviser_pipeline: true,
      runtime_environments: { hardware: [{ cpu_families: [25], cpu_models: [17] }] },
    });
  });

  it('matches a version that is none of Python’s as text', () => {
    const { prescriptions } = prescribe([batch({ provider: 'blis', version: '1.0-rc0~x' }, 0.5)]);
    expect(unitOf(prescriptions[0]?.yaml ?? '').match.package_version.version).toBe('===1.0-rc0~x');
  });

  it('takes the number out of a banner', () => {
    const banner = 'OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH MAX_THREADS=64';
    const { prescriptions } = prescribe([batch({ provider: 'openblas', version: banner }, 0.5)]);
    expect(unitOf(prescriptions[0]?.yaml ?? '').match.package_version.version).toBe('==0.3.21');
  });

  it('is given to the slowest of the stacks that are one package to a resolver', () => {
    const { prescriptions, leftOut } = prescribe([
      batch({ provider: 'embedded', variant: 'avx2' }, 0.9),
      batch({ provider: 'embedded', variant: 'avx512' }, 0.5),
    ]);
    expect(prescriptions.map(({ name }) => name)).toEqual(['pi-bench-embedded-avx2']);
    expect(leftOut).toEqual([{ name: 'embedded:avx512', why: expect.stringMatching(/same package as/) }]);
  });

  it('is not had by a package of which another stack has no score: a user may get that one', () => {
    const wrong = batch({ provider: 'embedded', variant: 'avx512' }, 0.1);
    const { prescriptions, leftOut } = prescribe([
      batch({ provider: 'embedded', variant: 'avx2' }, 0.9),
      { ...wrong, launches: [{ seconds: 0.1, passed: false }] },
    ]);
    expect(prescriptions).toEqual([]);
    expect(leftOut).toContainEqual({
      name: 'embedded:avx2',
      why: expect.stringMatching(/same package as embedded:avx512, which has no score: an output was wrong/),
    });
  });

  it('says what was forced, and what differs from the reference’s machine', () => {
    const of = (cpu_model: string) => ({ labels: { cpu_model } });
    const document = scoreStacks({
      results: {
        record: recordOf({ id: 'r', batches: [batch({ provider: 'a' }, 0.5)], ...of('New') }),
        name: 'r',
      },
      reference: {
        record: recordOf({ id: 'o', batches: [batch({ provider: 'base' }, 1)], ...of('Old') }),
        name: 'o',
      },
      referenceStack: null,
      across: [],
      force: true,
    });
    const { prescriptions } = prescriptionsOf(document, { cpu_model: 'New' });
    const told = unitOf(prescriptions[0]?.yaml ?? '').run.justification[0]?.message;
    expect(told).toMatch(/forced/);
    const alone = { ...document, acrossLabels: [] };
    expect(renderScore(alone, terminalStyle({}))).not.toMatch(/forced/);
    const objection = 'r has an error injected on purpose';
    expect(renderScore({ ...alone, forcedPast: [objection] }, terminalStyle({}))).toMatch(
      /forced +r has an error injected on purpose/,
    );
    expect(told).toMatch(/these differ, too, and may be the reason: .*cpu_model/);
  });

  it('of a stack from a stack file matches the packages that the file names, and says what else ran', () => {
    const stack = { provider: 'blis', package: 'libblis4 0.9.0-1' };
    const { prescriptions, leftOut } = prescribe([
      batch({ ...stack, own: ownIdentity('mine', { BLIS_ARCH_TYPE: 'skx', OMP_X: null }) }, 0.5),
      batch({ ...stack, own: ownIdentity('plain') }, 0.4),
    ]);
    expect(prescriptions.map(({ name }) => name)).toEqual(['pi-bench-mine']);
    const { match, run } = unitOf(prescriptions[0]?.yaml ?? '');
    expect(match).toEqual({
      package_version: { name: 'libblis4', version: '===0.9.0-1' },
      state: { resolved_dependencies: [{ name: 'scope-two', version: '==2.0.0' }] },
    });
    expect(run.justification[0]?.message).toMatch(
      /provisioned: libblis4 0\.9\.0-1, libgomp1 12\.2, .*with BLIS_ARCH_TYPE=skx, without OMP_X; lock c{64}/,
    );
    // Variables are nothing that a resolver could choose.
    expect(leftOut).toEqual([{ name: 'plain', why: expect.stringMatching(/same package as mine/) }]);
  });

  it('is not had by a stack with a wrong output', () => {
    const { prescriptions, leftOut } = prescribe([
      batch({ provider: 'right' }, 0.9),
      { ...batch({ provider: 'wrong' }, 0.1), launches: [{ seconds: 0.1, passed: false }] },
    ]);
    expect(prescriptions).toHaveLength(1);
    expect(leftOut).toEqual([{ name: 'wrong', why: expect.stringMatching(/an output was wrong/) }]);
  });
});

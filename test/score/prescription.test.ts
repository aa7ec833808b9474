import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderScore } from '../../src/readers/terminal/score.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import type { Labels, PiBenchRecord } from '../../src/record/schema.js';
import { prescriptionsOf, stepScore } from '../../src/score/prescription.js';
import { scoreStacks } from '../../src/score/score.js';
import { crashed } from '../support/crashed.js';
import { ownIdentity } from '../support/own-stacks.js';
import { aboutSeconds, type DescribedBatch, recordOf } from '../support/records.js';

const batch = (stack: DescribedBatch['stack'], seconds: number): DescribedBatch => ({
  stack: { version: '0.3.26', ...stack },
  launches: aboutSeconds(seconds),
});

const CPU = { cpu_family_model_stepping: '25-17-1' };

/** @param changed the results, after they were described */
function prescribe(
  batches: readonly DescribedBatch[],
  labels: Labels = CPU,
  changed = (results: PiBenchRecord): PiBenchRecord => results,
  across: readonly string[] = [],
) {
  const cases = [...new Map(batches.map(({ parameters = {} }) => [JSON.stringify(parameters), parameters]))];
  const base = cases.map(([, parameters]) => ({ ...batch({ provider: 'base' }, 1), parameters }));
  const results = changed(recordOf({ id: 'results', batches, labels }));
  const document = scoreStacks({
    results: { record: results, name: 'results' },
    reference: { record: recordOf({ id: 'reference', batches: base, labels }), name: 'reference' },
    referenceStack: null,
    across,
    force: false,
  });
  return prescriptionsOf(document, results);
}

const named = ({ prescriptions }: ReturnType<typeof prescribe>): readonly string[] =>
  prescriptions.map(({ name }) => name.replace(/-[0-9a-f]{8}$/, ''));

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
    const found = prescribe([batch({ provider: 'OpenBLAS' }, 1 / Math.SQRT2)]);
    expect([named(found), found.complete]).toEqual([['pi-bench-openblas-0.3.26'], true]);
    const unit = unitOf(found.prescriptions[0]?.yaml ?? '');
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
    const { prescriptions } = prescribe([batch({ provider: 'blis' }, 0.5)]);
    expect(unitOf(prescriptions[0]?.yaml ?? '').should_include).toEqual({
      adviser_pipeline: true,
      runtime_environments: { hardware: [{ cpu_families: [25], cpu_models: [17] }] },
    });
  });

  it('is not given where no resolver could be told for which CPU it is', () => {
    for (const labels of [
      { cpu_family_model_stepping: '?-?-?', architecture: 'arm64' },
      { cpu_family_model_stepping: null, architecture: 'arm64' },
    ]) {
      const { prescriptions, leftOut, complete } = prescribe([batch({ provider: 'blis' }, 0.5)], labels);
      expect([prescriptions, complete]).toEqual([[], false]);
      expect(leftOut).toEqual([
        { name: 'blis', why: expect.stringMatching(/tells none \(arm64\): .* for every machine/) },
      ]);
    }
  });

  describe('of a GPU', () => {
    const SIZES = [10, 20].map((m) => ({ ...batch({ provider: 'cublas' }, 0.5), parameters: { m } }));
    /** @param models of the GPUs, by their ordinals; `devices` of the batches */
    const on = (devices: readonly string[], models: readonly string[]) =>
      prescribe(
        SIZES,
        CPU,
        (record) => ({
          ...record,
          machine: {
            ...record.machine,
            gpus: { devices: models.map((name, ordinal) => ({ name, ordinal })) },
          },
          batches: record.batches.map((one, i) => ({ ...one, device: devices[i] ?? '' })),
        }),
        ['device'],
      );

    it('names it beside the CPU', () => {
      const { prescriptions } = on(['cuda:1', 'cuda:1'], ['Other', 'NVIDIA H100']);
      expect(unitOf(prescriptions[0]?.yaml ?? '').should_include).toEqual({
        adviser_pipeline: true,
        runtime_environments: {
          hardware: [{ cpu_families: [25], cpu_models: [17], gpu_models: ['NVIDIA H100'] }],
        },
      });
      expect(on(['cuda:0', 'cuda:1'], ['A', 'A']).prescriptions).toHaveLength(1);
    });

    it('is not given for a score of both kinds of device, of different GPUs, or of one that nobody named', () => {
      const why = (...of: Parameters<typeof on>) => {
        const { prescriptions, leftOut } = on(...of);
        expect(prescriptions).toEqual([]);
        return leftOut.map((one) => one.why).join();
      };
      expect(why(['cpu', 'cuda:0'], ['A'])).toMatch(
        /^its score is of a CPU and a GPU together \(cpu, cuda:0\)/,
      );
      expect(why(['cuda:0', 'cuda:1'], ['A', 'B'])).toMatch(
        /^its score is of different GPUs together \(A, B\)/,
      );
      expect(why(['cuda:0', 'cuda:1'], ['A'])).toBe('the record does not say which GPU cuda:1 is');
    });
  });

  it('is not had by a stack of which launches crashed, nor by what is the same package', () => {
    const half = aboutSeconds(0.5).map((seconds, i) =>
      i % 2 === 0 ? seconds : { seconds, status: 'crashed' as const },
    );
    const { prescriptions, leftOut, complete } = prescribe([
      { ...batch({ provider: 'openblas', variant: 'a' }, 0.5), launches: half },
      batch({ provider: 'openblas', variant: 'b' }, 0.4),
      batch({ provider: 'blis' }, 0.9),
    ]);
    expect(prescriptions.map(({ name }) => name)).toEqual([expect.stringMatching(/^pi-bench-blis/)]);
    expect(leftOut).toHaveLength(2);
    expect(leftOut).toContainEqual({
      name: 'openblas:a',
      why: expect.stringMatching(/^matmul .*: 6 of 12 launches lost; launch 2 crashed/),
    });
    expect(leftOut).toContainEqual({
      name: 'openblas:b',
      why: expect.stringMatching(/same package as openblas:a, which can have none: matmul .* 6 of 12/),
    });
    expect(complete).toBe(false);
  });

  it('is had by a stack of which a launch was interrupted: that is not its fault', () => {
    const [first = 1, ...others] = aboutSeconds(0.5);
    const launches = [...others, { seconds: first, status: 'interrupted' as const }];
    expect(named(prescribe([{ ...batch({ provider: 'blis' }, 0.5), launches }]))).toEqual([
      'pi-bench-blis-0.3.26',
    ]);
  });

  it('is called by what it is for, whatever else the record has and however fast it was', () => {
    const openblas = { provider: 'openblas', sha256: 'a'.repeat(64) };
    const nameAmong = (others: readonly DescribedBatch[], seconds: number, labels: Labels = CPU) =>
      prescribe([batch(openblas, seconds), ...others], labels).prescriptions.find(({ name }) =>
        name.startsWith('pi-bench-openblas-0.3.26'),
      )?.name;
    const alone = nameAmong([], 0.5);
    expect(alone).toMatch(/^pi-bench-openblas-0\.3\.26-[0-9a-f]{8}$/);
    const other = batch({ ...openblas, version: '0.3.30', sha256: 'b'.repeat(64) }, 0.4);
    expect(nameAmong([other], 0.7)).toBe(alone);
    // Another CPU's is another one.
    expect(nameAmong([], 0.5, { cpu_family_model_stepping: '6-85-7' })).not.toBe(alone);
  });

  it('shares neither file nor unit with that of another package', () => {
    const { prescriptions } = prescribe([
      batch({ provider: 'embedded', version: 'avx2' }, 0.5),
      batch({ provider: 'embedded-avx2', version: null }, 0.6),
      batch({ provider: 'embedded_avx2', version: '' }, 0.7),
    ]);
    expect(new Set(prescriptions.map(({ name }) => name)).size).toBe(prescriptions.length);
    expect(new Set(prescriptions.map(({ yaml }) => unitOf(yaml).name)).size).toBe(prescriptions.length);
    expect(prescriptions.length).toBeGreaterThan(1);
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
    const found = prescribe([
      batch({ provider: 'embedded', variant: 'avx2' }, 0.9),
      batch({ provider: 'embedded', variant: 'avx512' }, 0.5),
    ]);
    const { prescriptions, leftOut, complete } = found;
    expect([named(found), complete]).toEqual([['pi-bench-embedded-0.3.26'], true]);
    expect(prescriptions[0]?.yaml).toMatch(/embedded:avx2 reaches/);
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

  it('is not had by a package of which another stack crashed in every launch, before any told its version', () => {
    const files = ['/opt/openmp.so', '/opt/pthread.so'].map((variant) =>
      batch({ provider: 'openblas', variant }, 0.5),
    );
    const found = prescribe([...files, batch({ provider: 'blis' }, 0.9)], CPU, (record) =>
      crashed(record, 0),
    );
    expect([named(found), found.complete]).toEqual([['pi-bench-blis-0.3.26'], false]);
    expect(found.leftOut).toContainEqual({
      name: 'openblas:/opt/pthread.so',
      why: expect.stringMatching(
        /same package as openblas:\/opt\/openmp\.so, which has no score: nothing was/,
      ),
    });
  });

  it('is one for a package of which a stack tells no version: its step would be for every version', () => {
    const all = [
      batch({ provider: 'blas', variant: 'a' }, 0.5),
      batch({ provider: 'blas', variant: 'b', version: null }, 0.9),
      batch({ provider: 'blas', variant: 'c', version: '2' }, 0.6),
    ];
    const { prescriptions, leftOut, complete } = prescribe(all);
    expect(prescriptions.map(({ yaml }) => unitOf(yaml).match)).toEqual([
      { package_version: { name: 'blas' } },
    ]);
    expect(leftOut.map(({ name }) => name).sort()).toEqual(['blas:a', 'blas:c']);
    expect(complete).toBe(true);
  });

  it('is not had by collectives over an MPI library, which is none of the packages of their stack', () => {
    const mpi = { version: 'Open MPI v4.1.4', path: '/opt/libmpi.so.40', sha256: 'd'.repeat(64) };
    const { prescriptions, leftOut, complete } = prescribe([batch({ provider: 'embedded', mpi }, 0.5)]);
    expect([prescriptions, complete]).toEqual([[], false]);
    expect(leftOut).toEqual([
      {
        name: 'embedded',
        why: expect.stringMatching(/that of an MPI library, too \(\/opt\/libmpi\.so\.40\)/),
      },
    ]);
  });

  it('says what was forced, and what differs from the reference’s machine', () => {
    const of = (cpu_model: string) => ({ labels: { ...CPU, cpu_model } });
    const record = recordOf({ id: 'r', batches: [batch({ provider: 'a' }, 0.5)], ...of('New') });
    const document = scoreStacks({
      results: { record, name: 'r' },
      reference: {
        record: recordOf({ id: 'o', batches: [batch({ provider: 'base' }, 1)], ...of('Old') }),
        name: 'o',
      },
      referenceStack: null,
      across: [],
      force: true,
    });
    const { prescriptions } = prescriptionsOf(document, record);
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
    const found = prescribe([
      batch({ ...stack, own: ownIdentity('mine', { BLIS_ARCH_TYPE: 'skx', OMP_X: null }) }, 0.5),
      batch({ ...stack, own: ownIdentity('plain') }, 0.4),
    ]);
    const { prescriptions, leftOut } = found;
    expect(named(found)).toEqual(['pi-bench-libblis4-0.9.0-1']);
    const { match, run } = unitOf(prescriptions[0]?.yaml ?? '');
    expect(match).toEqual({
      package_version: { name: 'libblis4', version: '===0.9.0-1' },
      state: { resolved_dependencies: [{ name: 'scope-two', version: '==2.0.0' }] },
    });
    expect(run.justification[0]?.message).toMatch(
      /provisioned: libblis4 0\.9\.0-1, libgomp1 12\.2, .*variables: BLIS_ARCH_TYPE=skx, without OMP_X; lock c{64}/,
    );
    // Variables are nothing that a resolver could choose.
    expect(leftOut).toEqual([{ name: 'plain', why: expect.stringMatching(/same package as mine/) }]);
  });

  describe('of stacks of which one names packages that are all in the other', () => {
    const stack = { provider: 'blis', package: 'libblis4 0.9.0-1' };
    const both = ownIdentity('both');
    const alone = {
      ...both,
      name: 'alone',
      packages: both.packages.filter(({ manager }) => manager === 'debian'),
    };
    const two = (seconds: Readonly<Record<'alone' | 'both', number>>) => [
      batch({ ...stack, own: alone }, seconds.alone),
      batch({ ...stack, own: both }, seconds.both),
    ];

    it('is had by the slower alone: who has the packages of both would get both steps, added up', () => {
      const fewer = prescribe(two({ alone: 0.5, both: 0.4 }));
      expect(fewer.prescriptions.map(({ yaml }) => unitOf(yaml).match)).toEqual([
        { package_version: { name: 'libblis4', version: '===0.9.0-1' } },
      ]);
      expect(fewer.leftOut).toEqual([
        { name: 'both', why: 'a resolver would add up its step and that of alone, which is slower' },
      ]);
      expect(fewer.complete).toBe(true);
      const more = prescribe(two({ alone: 0.4, both: 0.5 }));
      expect(more.prescriptions.map(({ yaml }) => unitOf(yaml).match)).toMatchObject([
        { state: { resolved_dependencies: [{ name: 'scope-two' }] } },
      ]);
      expect(more.leftOut).toEqual([
        { name: 'alone', why: 'its step would also be for both, which is slower' },
      ]);
      // Who has fewer packages has no step.
      expect(more.complete).toBe(false);
    });

    it('is not had by the one of fewer where the other has no score, which does nothing to the other', () => {
      const broken = (name: string) =>
        prescribe(
          two({ alone: 0.4, both: 0.5 }).map((one) =>
            one.stack?.own?.name === name ? { ...one, launches: [{ seconds: 0.5, passed: false }] } : one,
          ),
        );
      expect(broken('both').prescriptions).toEqual([]);
      expect(broken('both').leftOut).toContainEqual({
        name: 'alone',
        why: expect.stringMatching(
          /^its step would also be for both, which has no score: an output was wrong/,
        ),
      });
      expect(broken('alone').prescriptions).toHaveLength(1);
    });
  });

  describe('of two stacks of which a third has the packages of both', () => {
    const own = ownIdentity('own');
    const of = (name: string, asked: Readonly<Record<string, string>>, seconds: number) => {
      const packages = Object.entries(asked).map(([its, version]) => ({
        ...{ manager: 'debian' as const, checksum: 'a'.repeat(64), asked: true },
        ...{ name: its, version },
      }));
      return batch({ provider: 'blis', own: { ...own, name, packages } }, seconds);
    };
    const matched = ({ prescriptions }: ReturnType<typeof prescribe>) =>
      prescriptions.map(({ yaml }) => unitOf(yaml).match.package_version.name).sort();
    const three = (a: number, b: number, c: number) =>
      prescribe([of('a', { p: '1' }, a), of('b', { q: '1' }, b), of('c', { p: '1', q: '1' }, c)]);

    it.each([
      ['fastest', 0.5, 0.45, 0.4],
      ['between them', 0.5, 0.4, 0.45],
    ])('is had by the slower of the two alone where the third is %s', (_, a, b, c) => {
      const found = three(a, b, c);
      expect([matched(found), found.complete]).toEqual([['p'], false]);
      expect(found.leftOut).toContainEqual({
        name: 'b',
        why: 'a resolver would add up its step and that of a, which is slower, for c, which has the packages of both',
      });
      expect(found.leftOut).toContainEqual({
        name: 'c',
        why: 'a resolver would add up its step and that of a, which is slower',
      });
    });

    it('is had by the third where that is the slowest', () => {
      const found = three(0.4, 0.45, 0.5);
      expect([matched(found), found.complete]).toEqual([['p'], false]);
      expect(found.leftOut).toEqual([
        { name: 'b', why: 'its step would also be for c, which is slower' },
        { name: 'a', why: 'its step would also be for c, which is slower' },
      ]);
    });

    it('is had by both where they are two versions of one package, of which nobody has both', () => {
      const found = prescribe([
        batch({ provider: 'blas', variant: 'a', version: '1' }, 0.9),
        batch({ provider: 'blas', variant: 'b', version: '2' }, 0.8),
        batch({ provider: 'blas', variant: 'c', version: null }, 0.5),
      ]);
      expect([found.prescriptions.length, found.complete]).toEqual([2, true]);
      expect(found.leftOut.map(({ name }) => name)).toEqual(['blas:c']);
    });
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

// The GPU check's own workings, without a GPU: that nothing it found is lost, that nothing it did not find passes in silence.
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bounded } from '../../scripts/gpu-check/bounded.mjs';
import { compileKernels } from '../../scripts/gpu-check/build.mjs';
import { hashOfNative, takeCarried } from '../../scripts/gpu-check/carried.mjs';
import { commitHere, isOfSources } from '../../scripts/gpu-check/compiled.mjs';
import { hashOfContents } from '../../scripts/gpu-check/contents.mjs';
import { follow } from '../../scripts/gpu-check/follow.mjs';
import { overheadOf, piBenchWithin, rightOf, trouble } from '../../scripts/gpu-check/pi-bench.mjs';
import { markdown, notRunOf, targetsOf, wrongOf } from '../../scripts/gpu-check/report.mjs';
import { besideRivals } from '../../scripts/gpu-check/rivals.mjs';
import {
  graphs,
  kernelsOf,
  libraries,
  products,
  STEPS,
  stepsNamed,
  testsOf,
} from '../../scripts/gpu-check/steps.mjs';
import { filesBelow } from '../../scripts/lib/source-record.mjs';
import { withFolder } from '../support/pi-bench.js';

const GPU = { name: 'FAKE', computeCapability: '9.0' };
const quiet = { say: () => {}, told: () => {} };

describe('the steps', () => {
  const step = (key: string, work: () => Promise<object>) => ({
    key,
    says: key,
    work,
    instead: { rows: [] },
  });

  it('are told of after each, so that the last cannot lose the first', async () => {
    const told: unknown[] = [];
    const steps = [
      step('a', async () => ({ rows: [1], wrong: [] })),
      step('a', async () => ({ rows: [2], wrong: ['two'] })),
      step('b', async () => Promise.reject(new Error('it hung'))),
    ];
    const check = await follow(
      steps,
      {},
      {
        left: () => 1,
        say: () => {},
        told: (so: unknown, toCome: unknown) => void told.push([so, toCome]),
      },
    );
    expect(told[0]).toEqual([{ a: { rows: [1], wrong: [] } }, ['a', 'b']]);
    expect(check).toEqual({
      a: { rows: [1, 2], wrong: ['two'] },
      b: { rows: [], wrong: ['b: it hung'] },
    });
  });

  it('do not begin without time, which is told as missing', async () => {
    const check = await follow(
      [step('a', async () => ({ rows: [1], wrong: [] }))],
      {},
      {
        ...quiet,
        left: () => 0,
      },
    );
    expect(check).toEqual({ a: { rows: [], wrong: ['a: not run, for want of time'] } });
  });

  it('have each kernel by itself first, and the largest products last', () => {
    expect(STEPS[0]?.key).toBe('kernels');
    const last = STEPS.slice(-8).map(({ says }) => says);
    expect(last.pop()).toBe('groups launched as a graph');
    expect(last.every((says) => /at 8192/.test(says))).toBe(true);
  });

  it('are all there are, or those that are named, with what products are measured beside', () => {
    expect(stepsNamed([])).toBe(STEPS);
    const names = (asked: readonly string[]) => stepsNamed(asked).map(({ name }) => name);
    expect(names(['tests', 'memory'])).toEqual(['memory', 'tests']);
    expect(names(['float64:8192'])).toEqual(['libraries', 'float64:8192']);
    expect(() => stepsNamed(['memories'])).toThrow(/no step memories; there is kernels, .*memory/);
  });

  it('say where a library is not found', async () => {
    const none = { code: 64, stderr: 'no cuBLAS here', record: null, documents: [] };
    const found = await libraries({ piBench: async () => none });
    expect(found.libraries).toEqual([]);
    expect(found.wrong).toEqual([
      expect.stringMatching(/^cublas is not measured: .*no cuBLAS here/),
      expect.stringMatching(/^cublaslt is not measured/),
    ]);
  });
});

describe('a command of the check', () => {
  it('that hangs leaves the documents of its launches, and is told as ended', () =>
    withFolder(async (folder) => {
      const program = join(folder, 'hangs.mjs');
      writeFileSync(
        program,
        `import { mkdirSync, writeFileSync } from 'node:fs';
const out = process.argv[process.argv.indexOf('--out') + 1] + '/campaign/inspections';
mkdirSync(out, { recursive: true });
writeFileSync(out + '/0.json', JSON.stringify({ index: 0, verification: { passed: true } }));
setInterval(() => {}, 1000);
`,
      );
      const given = await piBenchWithin(() => 5, { program })('matmul');
      expect(given).toMatchObject({ code: 'SIGTERM', outOfTime: true, record: null });
      expect(given.documents).toHaveLength(1);
      expect(rightOf(given)).toBe(1);
      expect(trouble(given)).toMatch(/there was no more time; 1 launches were left/);
    }));

  it('leaves its files where they are to be kept', () =>
    withFolder(async (folder) => {
      const program = join(folder, 'measures.mjs');
      writeFileSync(
        program,
        `import { writeFileSync } from 'node:fs';
writeFileSync(process.argv[process.argv.indexOf('--out') + 1] + '/journal', 'all of it');
`,
      );
      const keep = join(folder, 'kept');
      mkdirSync(keep);
      await piBenchWithin(() => 5, { program, keep })('matmul');
      const [own = ''] = readdirSync(keep);
      expect(own).toMatch(/^matmul-/);
      expect(readdirSync(join(keep, own))).toEqual(['journal']);
    }));

  it('does not begin where it could leave nothing', async () => {
    const given = await piBenchWithin(() => 0.5, { program: '/no/such/program.mjs' })('matmul');
    expect(rightOf(given)).toBe(0);
    expect(trouble(given)).toBe('there was no more time; 0 launches were left');
  });

  it('that does not listen is ended all the same, with what it started', async () => {
    const stubborn = `trap '' TERM; sleep 600 & wait; sleep 600`;
    const done = await bounded('bash', ['-c', stubborn], { seconds: 0.5, grace: 0.5 });
    expect(done).toMatchObject({ status: 'SIGKILL', outOfTime: true });
  });
});

describe('the kernels', () => {
  it('are not taken from an earlier build where they could not be built of these sources', () =>
    withFolder(async (folder) => {
      const builder = join(folder, 'fails.mjs');
      writeFileSync(builder, `process.stderr.write('peak.cu: error'); process.exitCode = 1;`);
      await expect(compileKernels(() => 10, builder)).rejects.toThrow(/peak\.cu: error/);
    }));
});

describe('what was built elsewhere', () => {
  it('is taken for the same sources only', () =>
    withFolder(async (folder) => {
      const place = join(folder, 'placed', 'addon');
      writeFileSync(join(folder, 'addon'), 'binary');
      writeFileSync(join(folder, 'hash'), 'of others\n');
      expect(takeCarried({ addon: place }, folder)).toBe(false);
      writeFileSync(join(folder, 'hash'), `${hashOfNative()}\n`);
      expect(takeCarried({ addon: place, check: place }, folder)).toBe(false);
      expect(takeCarried({ addon: place }, folder)).toBe(true);
    }));

  it('is of other sources where a file that is only included differs', () =>
    withFolder(async (folder) => {
      for (const path of ['native/cuda', 'kernels/cuda', 'scripts/cuda-check', 'scripts/gpu-check'])
        mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, 'binding.gyp'), '{}');
      writeFileSync(join(folder, 'scripts/gpu-check/events.cu'), '');
      writeFileSync(join(folder, 'native/cuda/together.cc'), '#include "session.cc"');
      writeFileSync(join(folder, 'native/cuda/session.cc'), 'one');
      const before = hashOfNative(folder);
      writeFileSync(join(folder, 'native/cuda/session.cc'), 'two');
      expect(hashOfNative(folder)).not.toBe(before);
    }));
});

describe('the contents of sources', () => {
  it('are the same ones in a copy whose files have other times, and others where one was changed', () =>
    withFolder(async (folder) => {
      const [one, copy] = ['one', 'copy'].map((name) => join(folder, name)) as [string, string];
      const write = (root: string, text: string) => {
        mkdirSync(join(root, 'src'), { recursive: true });
        for (const name of ['a.ts', 'b.ts']) writeFileSync(join(root, 'src', name), `${text} ${name}`);
      };
      for (const root of [one, copy]) write(root, 'as it was');
      utimesSync(join(copy, 'src', 'a.ts'), 1, 1);
      const hashOf = (root: string) => hashOfContents(root, filesBelow(root, ['src']));
      expect(hashOf(copy)).toBe(hashOf(one));
      write(copy, 'changed');
      expect(hashOf(copy)).not.toBe(hashOf(one));
    }));
});

describe('the commit of what was checked', () => {
  const same = { noted: 'a', sources: 'a', ofThese: true };
  const wrongOfDist = [
    expect.stringMatching(/^dist\/ is of other sources than those that are here: npm run/),
  ];

  it('is that of the sources where dist/ is of them', () => {
    expect(commitHere(false, same)).toEqual({ commit: 'a', wrong: [] });
    expect(isOfSources(same)).toBe(true);
  });

  it('is two where dist/ was noted of another one, which is wrong only where its sources had other contents', () => {
    const other = { ...same, sources: 'b' };
    expect(commitHere(false, other)).toEqual({ commit: 'b, dist/ a', wrong: [] });
    expect(isOfSources(other)).toBe(true);
    const changed = { ...other, ofThese: false };
    const { commit, wrong } = commitHere(false, changed);
    expect([commit, wrong]).toEqual(['b, dist/ a', wrongOfDist]);
    expect(wrongOf({ built: { wrong } })).toEqual(wrong);
    expect(isOfSources(changed)).toBe(false);
  });

  it('is wrong where dist/ was left as it was when the rest was built', () => {
    const older = { ...same, ofThese: false };
    expect(commitHere(false, older)).toEqual({ commit: 'a', wrong: wrongOfDist });
    expect(isOfSources(older)).toBe(false);
  });

  it('is the packed one where all is of the same sources, whatever git says of them there', () => {
    expect(commitHere(true, { ...same, sources: 'b' })).toEqual({ commit: 'a', wrong: [] });
    const untold = { ...same, sources: null };
    expect(commitHere(false, untold)).toEqual({ commit: 'a', wrong: [] });
    expect(commitHere(true, { ...untold, noted: null }).commit).toBe('not known');
  });

  it('is not the packed one alone where only TypeScript was changed since, which is wrong', () => {
    const changed = { noted: 'a', sources: 'b', ofThese: false };
    expect(commitHere(true, changed)).toEqual({ commit: 'b, dist/ a', wrong: wrongOfDist });
    expect(commitHere(true, { ...changed, sources: null }).commit).toBe('not known, dist/ a');
  });
});

describe('every kernel by itself', () => {
  const printed = [
    '{"case":"support","right":true}',
    '{"case":"mma","right":false,"wrong":["rows are wrong"]}',
    '{"case":"wgmma","skipped":"needs compute capability 90"}',
    '{"case":"late","skipped":"the time for all cases is over"}',
    '{"cases":2,"wrong":1}',
  ].join('\n');

  it('is wrong where a line says so or was not reached, not where the device has none', () => {
    const found = kernelsOf({ status: 1, outOfTime: false, stdout: printed, stderr: '' });
    expect(found.right).toBe(1);
    expect(found.wrong).toEqual([
      'kernel mma: rows are wrong',
      'kernel late: the time for all cases is over',
    ]);
  });

  it('leaves none out on a device that has what all of them take', () => {
    const found = kernelsOf({ status: 1, outOfTime: false, stdout: printed, stderr: '' }, '9.0');
    expect(found.wrong).toContain('kernel wgmma: needs compute capability 90');
  });

  it('is wrong where the program did not run, or not to its end', () => {
    const none = { stdout: '', stderr: 'no libcuda' };
    expect(kernelsOf({ ...none, status: 70, outOfTime: false }).wrong).toEqual([
      'kernels: ended with 70: no libcuda',
    ]);
    expect(kernelsOf({ ...none, status: 'SIGTERM', outOfTime: true }).wrong).toHaveLength(1);
  });
});

describe('the tests marked gpu', () => {
  it('are right where they ran and passed, not where they were skipped', () => {
    const ran = {
      status: 0,
      outOfTime: false,
      stderr: '',
      stdout: 'TAP version 13\n1..1\nok 1 - a product is right # time=1ms\n',
    };
    expect(testsOf(ran)).toEqual({ ran: true, right: 1, wrong: [], notRun: [] });
    const skipped = { ...ran, stdout: 'ok 1 - a product is right # SKIP\n' };
    expect(testsOf(skipped)).toMatchObject({
      ran: false,
      right: 0,
      wrong: [expect.stringContaining('SKIP')],
    });
    const failed = { ...ran, status: 1, stdout: 'ok 1 - one\nnot ok 2 - another\n' };
    expect(testsOf(failed)).toMatchObject({
      ran: true,
      right: 1,
      wrong: [expect.stringContaining('not ok 2')],
    });
  });
});

describe('our product beside others', () => {
  const row = (stack: string, launches: readonly number[], flags: readonly string[] = []) => ({
    dtype: 'float64',
    size: 8192,
    stack,
    launches,
    rate: launches.reduce((sum, rate) => sum + rate, 0) / launches.length,
    flags,
  });
  const share = (rows: readonly object[], pytorch: object = {}) =>
    besideRivals({ rows, pytorch }, 'float64', 8192, 0.9);

  it('is judged against the fastest, whoever that is', () => {
    const rows = [row('embedded', [95, 93]), row('cublas', [90, 90]), row('cublaslt', [100, 100])];
    expect(share(rows)).toMatchObject({ beside: ['cuBLAS', 'cuBLASLt'], best: 'cuBLASLt', met: true });
    const pytorch = { rates: { 'float64 8192': 110, 'bfloat16 8192': 110 } };
    expect(share(rows, pytorch)).toMatchObject({ best: 'PyTorch', met: false });
  });

  it('is not judged against PyTorch where that writes fewer bytes', () => {
    const rows = [row('embedded', [95, 93]), row('cublaslt', [100, 100])].map((one) => ({
      ...one,
      dtype: 'bfloat16',
    }));
    const pytorch = { rates: { 'bfloat16 8192': 200 } };
    expect(besideRivals({ rows, pytorch }, 'bfloat16', 8192, 0.9)).toMatchObject({
      beside: ['cuBLASLt'],
      met: true,
    });
  });

  it('is not judged where its launches lie on both sides of the target, or there is one', () => {
    const straddling = [row('embedded', [95, 89]), row('cublaslt', [100, 100])];
    expect(share(straddling)).toMatchObject({ met: null, doubt: 'its launches lie on both sides' });
    const one = [row('embedded', [95]), row('cublaslt', [100])];
    expect(share(one)).toMatchObject({ met: null, doubt: 'it takes two launches of each' });
  });

  it('is not judged where only one of the two ran into a limit of the device', () => {
    const rows = [
      row('embedded', [95, 95], ['clock-not-settled']),
      row('cublaslt', [100, 100], ['clock-not-settled', 'power-capped', 'drifting']),
    ];
    expect(share(rows)).toMatchObject({ met: null, doubt: 'only one of the two is power-capped' });
    const moved = [row('embedded', [95, 95], ['power-limit-moved']), row('cublaslt', [100, 100])];
    expect(share(moved)).toMatchObject({ met: null, doubt: 'only one of the two is power-limit-moved' });
    const [target] = targetsOf({
      products: { rows: rows.map((one) => ({ ...one, dtype: 'bfloat16' })) },
    }).slice(1);
    expect(target).toMatchObject({ value: '95.0 % of cuBLASLt', met: null });
  });

  it('is judged where clocks were seen to move on one side only, if the power limit held down both throughout', () => {
    const held = (share: number, clockMoved: number) => [
      { ...row('embedded', [95, 95], ['power-capped']), heldDown: { share: 1, clockMoved: 0 } },
      {
        ...row('cublaslt', [100, 100], ['power-capped', 'clock-not-settled']),
        heldDown: { share, clockMoved },
      },
    ];
    expect(share(held(1, 0.05))).toMatchObject({ met: true, doubt: null });
    // At the limit for a moment, or from a clock that it never had there.
    for (const rows of [held(0.02, 0.05), held(1, 0.3)])
      expect(share(rows)).toMatchObject({ met: null, doubt: 'only one of the two is clock-not-settled' });
  });

  it('names what was measured', () => {
    const target = targetsOf({ products: { rows: [row('embedded', [1, 1]), row('cublaslt', [1, 1])] } }).find(
      ({ what }) => what.includes('float64'),
    );
    expect(target?.what).toBe('embedded float64 at 8192, of cuBLASLt');
  });

  it('is measured beside both libraries where both have the type', async () => {
    const asked: string[] = [];
    const piBench = async (...args: string[]) => {
      asked.push(args[args.indexOf('--stack') + 1] ?? '');
      return { code: 0, record: { batches: [] }, documents: [] };
    };
    const check = { products: { libraries: ['cublas', 'cublaslt'] } };
    for (const dtype of ['float64', 'float8_e4m3']) await products(dtype, 8192)({ piBench, check });
    expect(asked).toEqual(['embedded,cublas,cublaslt', 'embedded,cublaslt']);
  });
});

describe('the copy within a device', () => {
  const row = (operation: string, bytes: number, launches: readonly number[]) => ({
    indicator: 'memory',
    parameters: { operation, bytes },
    launches,
    rate: launches[0],
    flags: [],
  });
  const copy = (own: readonly number[]) => {
    const rows = [row('copy', 8, [9, 9]), row('copy', 1024, own), row('device-copy', 1024, [100, 100])];
    return targetsOf({ others: { rows } }).find(({ what }) => what.startsWith('device copy'));
  };

  it('is judged of the largest arrays, launch by launch', () => {
    expect(copy([98, 98])).toMatchObject({ value: '98.0 %', met: true });
    expect(copy([104, 104])).toMatchObject({ value: '100.0 %', met: true });
    expect(copy([96, 96])).toMatchObject({ value: '96.0 %', met: false });
    expect(copy([98, 96])).toMatchObject({ met: null, doubt: 'its launches lie on both sides' });
  });
});

describe('the host’s overhead', () => {
  const document = (index: number, calls: number) => ({
    index,
    callsPerSample: calls,
    telemetry: {
      gpu: { clock: { samples: 10, hostSeconds: 1.2, deviceSeconds: 1, enqueueSeconds: 0.4 } },
    },
  });

  it('is of the batch’s own launches, for each call', () => {
    const batch = { inspections: [{ index: 0 }, { index: 2 }] };
    const found = overheadOf(batch, [document(0, 4), document(1, 1000), document(2, 4)]);
    expect(found?.waiting).toBeCloseTo(0.4 / 80, 12);
    expect(found?.enqueueing).toBeCloseTo(0.8 / 80, 12);
    expect(overheadOf({ inspections: [{ index: 7 }] }, [document(0, 4)])).toBeNull();
  });

  it('stands in the table in its two parts', () => {
    const overhead = { waiting: 1e-6, enqueueing: 3e-6 };
    const products = { rows: [{ stack: 'embedded', overhead }] };
    const target = targetsOf({ products }).find(({ what }) => what.startsWith('host'));
    expect(target).toMatchObject({ value: '3.00 + 1.00 = 4.00 µs', met: true });
  });
});

describe('groups launched as a graph', () => {
  /** A command that measured its product, whose launch says so many groups were graphs and so much of the host. */
  const command = (graphGroups: number, enqueueSeconds: number) => async () => ({
    code: 0,
    outOfTime: false,
    stderr: '',
    record: {
      batches: [{ verified: 'passed', measured: 1, elapsed: { median: 2e-3 }, inspections: [{ index: 0 }] }],
    },
    documents: [
      {
        index: 0,
        callsPerSample: 1,
        telemetry: {
          gpu: { clock: { samples: 100, graphGroups, hostSeconds: 1, deviceSeconds: 1, enqueueSeconds } },
        },
      },
    ],
  });

  it('stand beside those launched call by call, with how long a call takes', async () => {
    const { rows, wrong } = await graphs({
      piBench: command(0, 8e-4),
      piBenchByGraph: command(5, 2e-4),
    });
    expect(wrong).toEqual([]);
    const check = { gpu: GPU, commit: 'c', date: 'd', seconds: 1, graphs: { rows } };
    const text = markdown({ ...check, wrong: [], notRun: [], toCome: [], targets: [] });
    expect(text).toMatch(/\| float64 \| 8192 \| 8\.00 \| 2\.00 \| 1\.0000 of the other \|/);
  });

  it('are wrong where none was launched as one', async () => {
    const { wrong } = await graphs({ piBench: command(0, 1), piBenchByGraph: command(0, 1) });
    expect(wrong).toContain('groups of bfloat16: no graph was launched');
  });
});

describe('the result', () => {
  it('of a check that was cut off says what is to come, and has no target met', () => {
    const check = { gpu: GPU, commit: 'c', date: 'd', seconds: 10, kernels: { right: 3, wrong: [] } };
    const whole = { ...check, toCome: ['PyTorch'], wrong: wrongOf(check), notRun: notRunOf(check) };
    const text = markdown({ ...whole, targets: targetsOf(whole) });
    expect(text).toMatch(/Not finished.\*\* To come:\n- PyTorch/);
    expect(text).not.toMatch(/\| met \|/);
  });

  it('says what was not run, and what no step asks for', () => {
    const tests = { ran: false, wrong: [], notRun: ['test/gpu: vitest is not here'] };
    const check = { gpu: GPU, seconds: 1, tests, built: { wrong: ['building: no nvcc'] } };
    const whole = { ...check, toCome: [], wrong: wrongOf(check), notRun: notRunOf(check) };
    const text = markdown({ ...whole, targets: targetsOf(whole) });
    expect(text).toMatch(/- test\/gpu: vitest is not here/);
    expect(text).toMatch(/- several GPUs at once/);
    expect(text).toMatch(/Wrong or missing:\n- building: no nvcc/);
  });
});

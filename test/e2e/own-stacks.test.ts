/** Stacks from a stack file: made in a cache, measured in it, and what goes wrong with one ends that one only. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PiBenchRecord, RecordBatch } from '../../src/record/schema.js';
import { foreignCopy, tinyLibrary } from '../support/libraries.js';
import { makeOwnCache, noDebian, type OwnCache, scriptedLockfile, writeYaml } from '../support/own-stacks.js';
import {
  campaignFolder,
  matmulRecord,
  piBench,
  piBenchIn,
  printedRecord,
  startPiBench,
  until,
  withFolder,
} from '../support/pi-bench.js';

let place: OwnCache;
beforeAll(() => {
  place = makeOwnCache();
});
afterAll(() => place.remove());

const ONE_THREAD = ['--threads', '1', '--warmup', '3'];
const SMALL = ['--size', '48', '--reps', '20', '--inspections', '1', ...ONE_THREAD];
const made = (): readonly string[] => {
  const stacks = join(place.cache, 'pi-bench', 'stacks');
  return existsSync(stacks) ? readdirSync(stacks) : [];
};

const batchOf = ({ batches }: PiBenchRecord, own: string): RecordBatch => {
  const found = batches.find(({ asked }) => asked.stack.own === own);
  if (found === undefined) throw new Error(`no batch on ${own}`);
  return found;
};
const endOf = (record: PiBenchRecord, own: string): string => {
  const [only] = batchOf(record, own).inspections;
  return `${only?.status}: ${only?.reason}`;
};

describe('packages of Debian', () => {
  const missing = noDebian('libblis4-pthread', 'libopenblas0-pthread');

  it('are measured from the cache, not from the system, exactly as their lock says', async (context) => {
    if (missing !== null) return context.skip(missing);
    const file = writeYaml(place.folder, 'debian.yaml', {
      stacks: [
        { name: 'theirs', stack: 'openblas', debian: ['libopenblas0-pthread'] },
        { name: 'other', stack: 'blis', debian: ['libblis4-pthread'], environment: { BLIS_TEST: 'seen' } },
      ],
    });
    const first = await withFolder((out) => matmulRecord(out, ...SMALL, '--stack-file', file));
    expect(first.run.stderr).toMatch(/^pi-bench: wrote .*debian\.yaml\.lock/m);
    expect(first.run.code).toBe(0);
    for (const [own, package_, library] of [
      ['theirs', 'libopenblas0-pthread', 'libopenblas'],
      ['other', 'libblis4-pthread', 'libblis'],
    ] as const) {
      const { stack, verified } = batchOf(first.record, own);
      expect(verified).toBe('passed');
      expect(stack.path?.startsWith(place.cache)).toBe(true);
      const asked = stack.own?.packages.filter((one) => one.asked);
      expect(asked).toEqual([
        {
          manager: 'debian',
          name: package_,
          version: expect.stringMatching(/^\d/),
          checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
          asked: true,
        },
      ]);
      expect(stack.package).toBe(`${package_} ${asked?.[0]?.version}`);
      expect(stack.own?.system).toContain('libc6');
      expect(stack.own?.systemVersions?.libc6).toMatch(/^\d/);
      const loaded = stack.own?.loaded ?? [];
      expect(loaded.every((path) => path.startsWith(place.cache))).toBe(true);
      expect(loaded.some((path) => path.includes(library))).toBe(true);
    }
    // What it depends on comes from there, too.
    expect(batchOf(first.record, 'theirs').stack.own?.loaded).toContainEqual(
      expect.stringMatching(/libgfortran\.so/),
    );
    expect(batchOf(first.record, 'other').stack.environment).toMatchObject({ BLIS_TEST: 'seen' });

    const lockFile = `${file}.lock`;
    const lock = readFileSync(lockFile, 'utf8');
    const checksum = /"sha256": "([0-9a-f]{64})"/.exec(lock)?.[1] ?? '';
    writeFileSync(lockFile, lock.replace(checksum, 'f'.repeat(64)));
    const changed = await withFolder((out) => matmulRecord(out, ...SMALL, '--stack-file', file));
    expect(changed.run.code).toBe(2);
    expect(endOf(changed.record, 'theirs')).toMatch(
      /^failed: .* was published with another content than the lock/,
    );
    expect(batchOf(changed.record, 'other').measured).toBe(1);
  });
});

describe('a stack that cannot be made or does not work', () => {
  it('ends alone, with the reason in the record', () =>
    withFolder(async (out) => {
      const already = made();
      const sound = tinyLibrary(place.folder, 'sound');
      // As OpenBLAS is called: found by that in the folder that the file names, and nowhere else.
      mkdirSync(join(place.folder, 'lib'));
      const openblas = tinyLibrary(place.folder, 'asopenblas', 'AS_OPENBLAS');
      copyFileSync(openblas, join(place.folder, 'lib', 'libopenblas.so.0'));
      foreignCopy(sound, join(place.folder, 'libforeign.so'));
      tinyLibrary(place.folder, 'wrong', 'WRONG');
      tinyLibrary(place.folder, 'crashes', 'CRASHES');
      tinyLibrary(place.folder, 'nosymbol', 'NO_SYMBOL');
      scriptedLockfile(place.folder, 'true');
      writeFileSync(
        join(place.folder, 'broken-lock.json'),
        '{"packages": {"node_modules/a": {"version": "1.0.0"}}}',
      );
      const library = (name: string) => ({ name, stack: 'cblas', library: `lib${name}.so` });
      const file = writeYaml(place.folder, 'bad.yaml', {
        stacks: [
          library('sound'),
          library('wrong'),
          library('crashes'),
          library('nosymbol'),
          library('foreign'),
          library('absent'),
          { name: 'mine', stack: 'openblas', folders: ['lib'] },
          { name: 'empty', stack: 'openblas', folders: ['.'] },
          { name: 'unknown', stack: 'blis', debian: ['libblis-there-is-none'] },
          { name: 'scripted', stack: 'embedded', npm: { lockfile: 'package-lock.json' } },
          { name: 'unlocked', stack: 'embedded', npm: { lockfile: 'broken-lock.json' } },
        ],
      });
      const { run, record } = await matmulRecord(out, ...SMALL, '--stack-file', file);
      expect(run.code).toBe(3);
      expect(batchOf(record, 'sound')).toMatchObject({ verified: 'passed', measured: 1 });
      const { stack, verified } = batchOf(record, 'mine');
      expect([verified, stack.path]).toEqual([
        'passed',
        expect.stringMatching(/pi-bench-own-[^/]*\/lib\/libopenblas\.so\.0$/),
      ]);
      expect(endOf(record, 'wrong')).toMatch(/^wrong: the output is wrong/);
      expect(endOf(record, 'crashes')).toMatch(
        /^crashed: crashed with SIGABRT, last heard of in phase start of libcrashes/,
      );
      expect(endOf(record, 'nosymbol')).toMatch(/^failed: the library has no cblas_sgemm/);
      expect(endOf(record, 'foreign')).toMatch(/^failed: .*was built for/);
      expect(endOf(record, 'absent')).toMatch(
        /^failed: there is no file libabsent\.so in its packages or beside/,
      );
      expect(endOf(record, 'empty')).toMatch(/^failed: .* have no libopenblas\.so\.0/);
      expect(endOf(record, 'unknown')).toMatch(/^failed: apt-get/);
      expect(endOf(record, 'scripted')).toMatch(/^failed: scripted 1\.0\.0 wants to run a script/);
      expect(endOf(record, 'unlocked')).toMatch(/^failed: npm’s lockfile does not say exactly which a/);
      // A lock would be obeyed, also after what the message asks for has been done.
      expect(existsSync(`${file}.lock`)).toBe(false);
      expect(made()).toEqual(already);
    }));

  it('has a cache that cannot be written for a reason', () =>
    withFolder(async (out) => {
      const blocked = join(place.folder, 'a-file');
      writeFileSync(blocked, '');
      scriptedLockfile(place.folder, 'true');
      const npm = { lockfile: 'package-lock.json', installScripts: { scripted: 'skip' } };
      const file = writeYaml(place.folder, 'cache.yaml', {
        stacks: [{ name: 'mine', stack: 'embedded', npm }],
      });
      process.env.XDG_CACHE_HOME = blocked;
      const { run, record } = await matmulRecord(out, ...SMALL, '--stack-file', file).finally(() => {
        process.env.XDG_CACHE_HOME = place.cache;
      });
      expect(run.code).toBe(2);
      expect(endOf(record, 'mine')).toMatch(/^failed: the cache cannot be written: .*XDG_CACHE_HOME/);
    }));
});

describe('making a stack', () => {
  it('is done once for two who want it, and anew after a kill', () =>
    withFolder(async (out) => {
      const waiting = join(place.folder, 'waiting');
      const go = join(place.folder, 'go');
      // The package's own script waits, so that a kill comes in the middle.
      scriptedLockfile(place.folder, `echo begun >> ${waiting}; while ! test -e ${go}; do sleep 0.05; done`);
      const npm = { lockfile: 'package-lock.json', installScripts: { scripted: 'run' } };
      const file = writeYaml(place.folder, 'slow.yaml', {
        stacks: [{ name: 'slow', stack: 'embedded', npm }],
      });
      const args = ['matmul', ...SMALL, '--stack-file', file, '--out', out, '--quiet', '--json'];
      const begun = (): number =>
        existsSync(waiting) ? readFileSync(waiting, 'utf8').split('\n').length - 1 : 0;
      const already = made().length;

      const killed = startPiBench(args);
      await until(() => (begun() === 1 ? true : undefined), 'the script to run');
      // All of its children with it.
      process.kill(-(killed.child.pid ?? 0), 'SIGKILL');
      await killed.ended;
      expect(made().filter((name) => !name.startsWith('.'))).toHaveLength(already);

      const two = [startPiBench(args), startPiBench(args)];
      await until(() => (begun() === 2 ? true : undefined), 'the script to run again');
      writeFileSync(go, '');
      const ended = await Promise.all(two.map((one) => one.ended));
      expect(ended.map(({ code }) => code)).toEqual([0, 0]);
      expect(begun()).toBe(2);
      expect(made()).toHaveLength(already + 1);
      expect(made().every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true);
    }));
});

describe('pi-bench explore', () => {
  const possibilities = () => {
    tinyLibrary(place.folder, 'sound');
    tinyLibrary(place.folder, 'again');
    return writeYaml(place.folder, 'explore.yaml', {
      stacks: [
        {
          name: 'tiny',
          stack: 'cblas',
          library: ['libsound.so', 'libagain.so'],
          environment: { OMP_SCHEDULE: ['static', 'dynamic', null] },
          threads: [1, 1],
        },
        { name: 'gone', stack: 'embedded', npm: { lockfile: 'no-such-lock.json' } },
      ],
    });
  };

  it('refuses threads for what has none: two candidates would be one', async () => {
    const file = writeYaml(place.folder, 'threads.yaml', {
      stacks: [{ name: 'x', stack: 'embedded', threads: [1, 2] }],
    });
    const run = await piBench('explore', file, '--', 'collective', '--ranks', '2', '--bytes', '64KiB');
    expect(run.code).toBe(64);
    expect(run.stderr).toMatch(/threads: 1 of x.*: collective has no threads/);
  });

  it('skips a candidate that cannot be measured here, and ends for flags that none can be asked', async () => {
    const file = writeYaml(place.folder, 'many-threads.yaml', {
      stacks: [{ name: 'x', stack: 'embedded', threads: [1, 100_000] }],
    });
    const asked = ['--reps', '20', '--inspections', '1', '--warmup', '3'];
    await withFolder(async (out) => {
      const run = await piBench(
        'explore',
        file,
        '--out',
        out,
        '--json',
        '--quiet',
        '--',
        '--size',
        '32',
        ...asked,
      );
      expect(run.code).toBe(0);
      expect(printedRecord(run).batches).toHaveLength(1);
      expect(run.stderr).toMatch(/skipped x.*100000.*: .*threads/);
    });
    const bad = await piBench('explore', file, '--', '--size', 'large', ...asked);
    expect(bad.code).toBe(64);
    expect(bad.stderr).toMatch(/--size/);
    expect(bad.stderr).not.toMatch(/skipped/);
  });

  it.each([
    ['a number that is none', [], ['--size', 'banana'], /--size takes/],
    ['a data type that there is not', [], ['peak', '--dtype', 'nonsense'], /nonsense/],
    ['a duration that is none', [], ['--duration', 'long'], /--duration/],
    ['threads where all are of the file', [1, 2], ['--threads', '1'], /--threads 1: every stack of .* own/],
  ])('refuses %s, also where nothing is to be measured', async (_, threads, after, message) => {
    const file = writeYaml(place.folder, 'refused.yaml', {
      stacks: [{ name: 'x', stack: 'embedded', ...(threads.length === 0 ? {} : { threads }) }],
    });
    const run = await piBench('explore', file, '--dry-run', '--', ...after);
    expect([run.code, run.stdout]).toEqual([64, '']);
    expect(run.stderr).toMatch(message);
  });

  it.each([
    ['collective all-reduce --ranks 2 --bytes 64KiB', 0, ''],
    [
      'collective all-reduces --ranks 2',
      64,
      'pi-bench: there is no collective all-reduces; there is all-reduce, ',
    ],
    [
      'collective all-reduce --rankss 2',
      64,
      'pi-bench: after --: unknown argument --rankss; pi-bench sweep collective --help lists what there is; did you mean --ranks?',
    ],
    [
      '--size 64 128',
      64,
      'pi-bench: after --: unknown argument 128; pi-bench sweep matmul --help lists what there is',
    ],
  ])('takes after -- what sweep takes, in English: %s', async (after, code, says) => {
    const file = writeYaml(place.folder, 'as-sweep.yaml', { stacks: [{ name: 'x', stack: 'embedded' }] });
    const env = { ...process.env, LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8' };
    const run = await piBenchIn({ env }, 'explore', file, '--dry-run', '--', ...after.split(' '));
    expect([run.code, run.stderr.slice(0, says.length)]).toEqual([code, says]);
  });

  it('counts what can be measured: for what cannot execute the case, or be made, it takes another', () => {
    tinyLibrary(place.folder, 'sound');
    scriptedLockfile(place.folder, 'exit 3');
    const file = writeYaml(place.folder, 'count.yaml', {
      stacks: [
        { name: 'other-type', stack: 'cblas', library: 'libsound.so' },
        {
          name: 'unpacks-not',
          stack: 'embedded',
          npm: { lockfile: 'package-lock.json', installScripts: { scripted: 'run' } },
        },
        { name: 'mine', stack: 'embedded' },
        { name: 'not-needed', stack: 'embedded', environment: { SOME: 'value' } },
      ],
    });
    const args = ['--strategy', 'all', '--count', '1', '--json'];
    const asked = ['--size', '32', '--reps', '20', '--inspections', '1', '--warmup', '3', '--dtype', 'int8'];
    return withFolder(async (out) => {
      const run = await piBench('explore', file, ...args, '--quiet', '--out', out, '--', ...asked);
      expect(run.stderr).toMatch(/skipped other-type: .* no matrix product for int8/);
      expect(run.stderr).toMatch(/skipped unpacks-not: /);
      expect(run.code).toBe(0);
      const { batches, campaign } = printedRecord(run);
      expect(batches.map(({ stack }) => stack.own?.name)).toEqual(['mine']);
      expect(campaign.explored?.candidates.map(({ name }) => name)).toEqual(['mine']);
      expect(campaign.explored?.skipped.map(({ name }) => name)).toEqual(['other-type', 'unpacks-not']);
    });
  });

  it('lists in a dry run what cannot execute the case, and unpacks nothing for that', async () => {
    const already = made();
    scriptedLockfile(place.folder, 'true');
    const npm = { lockfile: 'package-lock.json', installScripts: { scripted: 'run' } };
    const file = writeYaml(place.folder, 'dry.yaml', {
      stacks: [
        { name: 'other-type', stack: 'tfjs:wasm', npm },
        { name: 'absent', stack: 'cblas', library: 'libabsent.so' },
        { name: 'mine', stack: 'embedded', npm },
      ],
    });
    const asked = ['--', '--size', '32', '--dtype', 'float64'];
    const run = await piBench('explore', file, '--dry-run', '--json', '--quiet', ...asked);
    const { candidates, skipped } = JSON.parse(run.stdout) as {
      candidates: { name: string }[];
      skipped: { name: string; why: string }[];
    };
    expect(candidates.map(({ name }) => name)).toEqual(['mine']);
    expect(skipped).toEqual([
      { name: 'other-type', why: expect.stringMatching(/no matrix product for float64/) },
      { name: 'absent', why: expect.stringMatching(/there is no file libabsent\.so/) },
    ]);
    expect(made()).toEqual(already);
  });

  it('says which candidates resolve, and why others do not; the same for the same seed', async () => {
    const file = possibilities();
    const dry = async (...args: string[]) => {
      const run = await piBench('explore', file, '--dry-run', '--json', '--quiet', ...args);
      expect(run.code).toBe(0);
      return JSON.parse(run.stdout) as {
        possible: number;
        candidates: { name: string }[];
        skipped: { name: string; why: string }[];
      };
    };
    const all = await dry();
    expect(all.possible).toBe(7);
    expect(all.candidates).toHaveLength(6);
    expect(all.skipped).toEqual([{ name: 'gone', why: expect.stringMatching(/no-such-lock/) }]);
    const names = ({ candidates }: typeof all) => candidates.map(({ name }) => name);
    const sample = names(await dry('--count', '3', '--seed', '7'));
    expect(sample).toHaveLength(3);
    expect(names(await dry('--count', '3', '--seed', '7'))).toEqual(sample);
    expect(names(all)).toEqual(expect.arrayContaining(sample));
  });

  it('measures a sample as one campaign that compare takes as it is', () =>
    withFolder(async (out) => {
      const args = ['--count', '2', '--seed', '3', '--out', out, '--json', '--quiet'];
      const asked = ['--size', '32', '--reps', '20', '--inspections', '6', '--warmup', '3'];
      const run = await piBench('explore', possibilities(), ...args, '--', ...asked);
      expect(run.code).toBe(0);
      const record = printedRecord(run);
      const { explored } = record.campaign;
      expect(record.campaign.seed).toBe(3);
      expect(explored).toMatchObject({ strategy: 'random', count: 2, possible: 7 });
      expect(record.batches.map(({ asked: { labels } }) => labels?.candidate)).toEqual(
        explored?.candidates.map(({ name }) => name),
      );
      for (const { verified, stack, asked: one } of record.batches) {
        expect(verified).toBe('passed');
        expect(stack.own?.name).toBe(one.stack.own);
      }
      const compared = await piBench('compare', campaignFolder(out), '--json');
      expect([0, 1, 2]).toContain(compared.code);
      expect(compared.stderr).toBe('');
    }));
});

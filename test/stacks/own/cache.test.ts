import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cachedFolder, stacksFolder } from '../../../src/stacks/own/cache.js';
import { makeOwnCache, type OwnCache } from '../../support/own-stacks.js';
import { until } from '../../support/pi-bench.js';

let place: OwnCache;
beforeEach(() => {
  place = makeOwnCache();
});
afterEach(() => place.remove());

/** Counts how often it was needed. */
function maker() {
  const state = { made: 0 };
  const make = async (at: string): Promise<void> => {
    state.made++;
    await new Promise((resolve) => setTimeout(resolve, 50));
    mkdirSync(join(at, 'lib'));
    writeFileSync(join(at, 'lib', 'a.so'), 'content');
  };
  return { state, make };
}
const silent = (): void => {};

const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const space = /\d+/.exec(spawnSync('readlink', ['/proc/self/ns/pid'], { encoding: 'utf8' }).stdout)?.[0];
/** Where a process of a node makes a folder. */
const halfOf = (key: string, pid: number, node = bootId): string =>
  join(stacksFolder(), `.${key}.${node}.${space}.${pid}.tmp`);

describe('a folder of the cache', () => {
  it('is made once, and found again', async () => {
    const { state, make } = maker();
    const made = await cachedFolder('key', make, silent);
    expect(readFileSync(join(made, 'lib', 'a.so'), 'utf8')).toBe('content');
    expect(await cachedFolder('key', make, silent)).toBe(made);
    expect(state.made).toBe(1);
    expect(readdirSync(stacksFolder())).toEqual(['key']);
  });

  it('is made by one of two who want it at once, and the other waits', async () => {
    const { state, make } = maker();
    const waited: string[] = [];
    // It is not done before the other one waits, however late that comes.
    const slowly = async (at: string): Promise<void> => {
      await until(() => waited[0], 'the other one');
      await make(at);
    };
    const both = [1, 2].map(() => cachedFolder('key', slowly, (holder) => waited.push(holder)));
    const [one, two] = await Promise.all(both);
    expect(one).toBe(two);
    expect(state.made).toBe(1);
    expect(waited).toEqual([`process ${process.pid}`]);
  });

  it('that could not be made leaves nothing behind', async () => {
    const failing = async (at: string): Promise<void> => {
      writeFileSync(join(at, 'half'), '');
      throw new Error('no network');
    };
    await expect(cachedFolder('key', failing, silent)).rejects.toThrow(/^no network$/);
    expect(readdirSync(stacksFolder())).toEqual([]);
  });

  it('that is no longer as it was made is made anew', async () => {
    const { state, make } = maker();
    const made = await cachedFolder('key', make, silent);
    writeFileSync(join(made, 'lib', 'a.so'), 'changed');
    await cachedFolder('key', make, silent);
    expect(state.made).toBe(2);
    expect(readFileSync(join(made, 'lib', 'a.so'), 'utf8')).toBe('content');
    writeFileSync(join(made, 'lib', 'more.so'), '');
    await cachedFolder('key', make, silent);
    expect(state.made).toBe(3);
  });

  it('of which a kill left half is made from nothing, and the half is cleared away', async () => {
    const { pid } = spawnSync('true');
    const { make } = maker();
    await cachedFolder('other', make, silent);
    const half = halfOf('key', pid);
    mkdirSync(half);
    const made = await cachedFolder('key', make, silent);
    expect(existsSync(half)).toBe(false);
    expect(existsSync(join(made, 'lib', 'a.so'))).toBe(true);
  });

  it('is made where a process that had our number left half of it', async () => {
    const { make } = maker();
    await cachedFolder('other', make, silent);
    mkdirSync(halfOf('key', process.pid));
    const made = await cachedFolder('key', make, silent);
    expect(existsSync(join(made, 'lib', 'a.so'))).toBe(true);
  });

  it('leaves alone what another node makes on a home that both share: its processes are not seen from here', async () => {
    const { pid } = spawnSync('true');
    const { make } = maker();
    await cachedFolder('other', make, silent);
    const theirs = halfOf('key', pid, '00000000-0000-4000-8000-000000000000');
    // Our own number is somebody else's there.
    const alsoTheirs = halfOf('key', process.pid, 'node-2');
    for (const half of [theirs, alsoTheirs]) mkdirSync(half);
    await cachedFolder('key', make, silent);
    expect([theirs, alsoTheirs].map((half) => existsSync(half))).toEqual([true, true]);
  });

  /** As a node does that our lock does not reach. */
  const madeThere = async (): Promise<() => number> => {
    const { make } = maker();
    const done = await cachedFolder('other', make, silent);
    return () => {
      const key = join(stacksFolder(), 'key');
      cpSync(done, key, { recursive: true });
      return statSync(key).ino;
    };
  };

  it('that another node made meanwhile is not replaced: it may measure from it', async () => {
    const makeThere = await madeThere();
    let there = 0;
    const { make } = maker();
    const made = await cachedFolder(
      'key',
      async (at) => {
        await make(at);
        there = makeThere();
      },
      silent,
    );
    expect(statSync(made).ino).toBe(there);
    expect(readdirSync(stacksFolder()).sort()).toEqual(['key', 'other']);
  });

  it('that another node made is used where ours could not be written', async () => {
    const makeThere = await madeThere();
    const made = await cachedFolder(
      'key',
      async (at) => {
        makeThere();
        writeFileSync(join(at, 'no', 'such'), '');
      },
      silent,
    );
    expect(readFileSync(join(made, 'lib', 'a.so'), 'utf8')).toBe('content');
  });

  it('says so where the cache cannot be written', async () => {
    mkdirSync(place.cache);
    writeFileSync(join(place.cache, 'pi-bench'), 'a file, not a folder');
    const { make } = maker();
    await expect(cachedFolder('key', make, silent)).rejects.toThrow(
      /^the cache cannot be written: .*XDG_CACHE_HOME/,
    );
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
    const space = /\d+/.exec(spawnSync('readlink', ['/proc/self/ns/pid'], { encoding: 'utf8' }).stdout)?.[0];
    const half = join(stacksFolder(), `.key.${space}.${pid}.tmp`);
    mkdirSync(half);
    const made = await cachedFolder('key', make, silent);
    expect(existsSync(half)).toBe(false);
    expect(existsSync(join(made, 'lib', 'a.so'))).toBe(true);
  });

  it('is made where a process that had our number left half of it', async () => {
    const { make } = maker();
    await cachedFolder('other', make, silent);
    const space = /\d+/.exec(spawnSync('readlink', ['/proc/self/ns/pid'], { encoding: 'utf8' }).stdout)?.[0];
    mkdirSync(join(stacksFolder(), `.key.${space}.${process.pid}.tmp`));
    const made = await cachedFolder('key', make, silent);
    expect(existsSync(join(made, 'lib', 'a.so'))).toBe(true);
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

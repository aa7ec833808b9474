import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPackages, frameworkPlaces, type Places, versionsOf } from '../../src/frameworks/packages.js';
import { writePackage } from '../support/frameworks.js';

let mine = '';
let other = '';
beforeAll(() => {
  mine = realpathSync(mkdtempSync(join(tmpdir(), 'pi-bench-packages-')));
  other = realpathSync(mkdtempSync(join(tmpdir(), 'pi-bench-packages-')));
  writePackage(mine, 'core', 'module.exports = "mine"', '1.0.0');
  writePackage(other, 'core', 'module.exports = "other"', '2.0.0');
  writePackage(other, '@maker/backend', 'module.exports = require("core")', '2.1.0');
  writePackage(join(other, 'node_modules', '@maker/backend'), 'beneath', '', '0.1.0');
});
afterAll(() => {
  for (const folder of [mine, other]) rmSync(folder, { recursive: true, force: true });
});

const inAndAround = (...roots: string[]): Places => ({ roots, around: true });
const only = (root: string): Places => ({ roots: [root], around: false });

describe('packages of a framework', () => {
  it('come from the first folder that has them', () => {
    const found = findPackages(['core'], inAndAround(mine, other));
    if ('missing' in found) throw new Error('not found');
    expect(found.load('core')).toBe('mine');
    expect(found.folder('core')).toBe(join(mine, 'node_modules', 'core'));
    expect(found.installed).toEqual([
      { name: 'core', version: '1.0.0', folder: join(mine, 'node_modules', 'core') },
    ]);
  });

  it('come together from one folder: two copies of a package do not know each other', () => {
    const found = findPackages(['core', '@maker/backend'], inAndAround(mine, other));
    if ('missing' in found) throw new Error('not found');
    expect(found.load('core')).toBe('other');
    expect(found.load('@maker/backend')).toBe('other');
  });

  it('are found from a folder inside the project', () => {
    expect(findPackages(['core'], inAndAround(join(mine, 'src', 'deep')))).toMatchObject({
      installed: [{ version: '1.0.0' }],
    });
  });

  it('that are missing are named: of the folder that has most of them', () => {
    expect(findPackages(['core', 'nothing'], inAndAround(mine))).toEqual({ missing: ['nothing'] });
    expect(findPackages(['nothing'], inAndAround())).toEqual({ missing: ['nothing'] });
  });

  it('are versioned with those beneath them', () => {
    const found = findPackages(['@maker/backend'], inAndAround(other));
    if ('missing' in found) throw new Error('not found');
    expect(versionsOf(found.installed, ['beneath', 'absent'])).toEqual({
      '@maker/backend': '2.1.0',
      beneath: '0.1.0',
    });
  });
});

describe('a stack’s own folder', () => {
  it('is looked into, and not the project', () => {
    expect(frameworkPlaces({ PI_BENCH_FRAMEWORKS_FROM: '/stack' })).toEqual(only('/stack'));
    expect(frameworkPlaces({})).toMatchObject({ roots: [process.cwd(), expect.any(String)], around: true });
  });

  it('is looked into by itself, and not what lies around it', () => {
    const deep = join(mine, '.cache', 'npm');
    writePackage(deep, 'beside', 'module.exports = "beside"', '3.0.0');
    expect(findPackages(['beside', 'core'], only(deep))).toEqual({ missing: ['core'] });
    const found = findPackages(['beside'], only(deep));
    if ('missing' in found) throw new Error('not found');
    expect(found.load('beside')).toBe('beside');
    expect(versionsOf(found.installed, ['core'], only(deep))).toEqual({ beside: '3.0.0' });
    expect(versionsOf(found.installed, ['core'])).toEqual({ beside: '3.0.0', core: '1.0.0' });
  });
});

/** What a node leaves of a campaign whose folder became full, in the place of pi-bench a program that moves it so. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { collect, sharedDelivery } from '../../src/submit/collect.js';
import { deliveryIn, TOKEN_FILE } from '../../src/submit/task.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';
import { taskOf } from './support.js';

/** Begins a campaign where it is told to and ends it in the folder `elsewhere` beside. */
const MOVING = `
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
const own = process.argv.at(-1) + '/campaign';
mkdirSync(own, { recursive: true });
writeFileSync(own + '/journal.ndjson', 'its beginning');
mkdirSync('elsewhere');
writeFileSync('elsewhere/journal.ndjson', 'all of it');
symlinkSync(process.cwd() + '/elsewhere', own + '/moved-to');
`;

afterEach(() => {
  vi.restoreAllMocks();
});

/** @returns what is printed by a node whose submission has this folder */
async function printedBy(folder: string): Promise<string> {
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'pi-bench.mjs'), MOVING);
  writeFileSync(join(folder, TOKEN_FILE), 't');
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const { runOnNode } = await withModule(
    'src/package.ts',
    { packageRoot: folder },
    () => import('../../src/submit/on-node.js'),
  );
  await runOnNode(taskOf({ cwd: folder, folder, mostBytes: 1000 }));
  return print.mock.calls.map(([text]) => String(text)).join('');
}

it('a campaign that went elsewhere on its node is collected whole, whatever becomes of what is printed', () =>
  withFolder(async (folder) => {
    expect(await printedBy(folder)).toBe('');
    const delivery = sharedDelivery(folder, 'n1', 1);
    if (delivery === null) throw new Error('nothing is left');
    const { node, exitCode } = collect(folder, delivery);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, 'nodes', node, 'journal.ndjson'), 'utf8')).toBe('all of it');
  }));

it.each([
  ['a file beside it, as that of a batch job, are not printed: how they ended is left', true],
  ['brought back otherwise are printed', false],
])('results for which the folder has no room and whose log is %s', (_, isFile) =>
  withFolder(async (folder) => {
    const writeFileAtomic = (path: string, content: string): void => {
      if (content.includes('journal.ndjson')) throw new Error('ENOSPC: no space left on device');
      writeFileSync(path, content);
    };
    const printed = await withModule('src/store/atomic.ts', { writeFileAtomic }, () =>
      withModule('node:fs', { fstatSync: () => ({ isFile: () => isFile }) }, () => printedBy(folder)),
    );
    const printedFiles = Object.keys(deliveryIn(printed, 'what it printed')?.files ?? {});
    expect(printedFiles).toEqual(isFile ? [] : ['journal.ndjson']);
    const left = sharedDelivery(folder, 'n1', 1);
    if (isFile)
      expect(left).toMatchObject({
        exitCode: 0,
        campaign: 'campaign',
        files: null,
        leftBehind: expect.stringMatching(/^its folder had no room: what it measured is in .+ on /),
      });
    else expect(left).toBeNull();
  }));

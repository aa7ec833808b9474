/** What a node gives back to a submission, by the folder that it shares or as text. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Delivery, deliveryIn, TOKEN_FILE, taskArguments } from '../../src/submit/task.js';
import { taskOf } from '../submit/support.js';
import { piBench, withFolder } from '../support/pi-bench.js';

const COMMAND = 'matmul --size 16 --threads 1 --reps 3 --warmup 0 --inspections 1 --no-wait --quiet';

/** What is printed by a node that sees the submission's folder. */
async function printedBy(folder: string): Promise<Delivery | null> {
  writeFileSync(join(folder, TOKEN_FILE), 't');
  const task = taskOf({ command: COMMAND.split(' '), cwd: folder, folder, mostBytes: 2 ** 20 });
  const { code, stdout } = await piBench(...taskArguments(task));
  expect(code).toBe(0);
  return deliveryIn(stdout, 'what it printed');
}

const expectResults = (delivery: Delivery | null): void => {
  expect(delivery).toMatchObject({ target: 'n1', attempt: 1, exitCode: 0 });
  expect(Object.keys(delivery?.files ?? {})).toContain('record.json');
};

describe('a node that sees the folder of its submission', () => {
  it('leaves its results there, and prints nothing', () =>
    withFolder(async (folder) => {
      expect(await printedBy(folder)).toBeNull();
      const own = join(folder, 'attempts', 'n1.1');
      expect(readdirSync(own).sort()).toEqual(['end.json', 'results']);
      const left = JSON.parse(readFileSync(join(own, 'end.json'), 'utf8')) as Delivery;
      expect(left).toMatchObject({ target: 'n1', exitCode: 0, files: null });
      expect(readdirSync(join(own, 'results', left.campaign ?? ''))).toContain('record.json');
    }));

  it('gives them as text where it can put nothing there', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'attempts'), 'in the place of the folder');
      expectResults(await printedBy(folder));
    }));

  it('gives them as text also where it cannot put their end there any more', () =>
    withFolder(async (folder) => {
      // No file takes the place of a folder.
      mkdirSync(join(folder, 'attempts', 'n1.1', 'end.json'), { recursive: true });
      expectResults(await printedBy(folder));
    }));
});

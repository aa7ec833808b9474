import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type FolderLock, lockFolder } from '../../src/store/folder-lock.js';
import { withFolder } from '../support/pi-bench.js';

afterEach(() => vi.unstubAllEnvs());

const canLock = spawnSync('flock', ['--help']).error === undefined;
if (!canLock) console.warn('skipped: there is no program flock here');

/** @throws where somebody else has it */
function taken(folder: string, self: string): FolderLock {
  const lock = lockFolder(folder, self);
  if ('holder' in lock) throw new Error(`${lock.holder} has it`);
  return lock;
}

/** Another process that has it until it is killed. */
function holding(folder: string): Promise<ChildProcess> {
  const script = 'exec 3>>lock && flock -n 3 && echo pid 7 on pod-a >&3 && echo ready && exec sleep 1000';
  const child = spawn('sh', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(child));
    child.once('exit', () => reject(new Error('could not lock')));
  });
}

describe.skipIf(!canLock)('a folder', () => {
  it('is locked for one; who comes second is told who has it and in which file, and nothing is left behind', () =>
    withFolder(async (folder) => {
      const first = taken(folder, 'pid 1 on pod-a');
      expect(lockFolder(folder, 'second')).toEqual({
        holder: 'pid 1 on pod-a',
        file: join(folder, 'lock'),
      });
      first.release();
      expect(readdirSync(folder)).toEqual([]);
      taken(folder, 'second').release();
    }));

  it('is free again when its holder was killed, although the file stays', () =>
    withFolder(async (folder) => {
      const child = await holding(folder);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      expect(lockFolder(folder, 'second')).toMatchObject({ holder: 'pid 7 on pod-a' });
      child.kill('SIGKILL');
      await gone;
      expect(existsSync(join(folder, 'lock'))).toBe(true);
      const lock = taken(folder, 'second');
      expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe('second\n');
      lock.release();
      expect(readdirSync(folder)).toEqual([]);
    }));

  it('is nobody’s where a person removed the file, and who lost it so takes it from no other', () =>
    withFolder(async (folder) => {
      const first = taken(folder, 'first');
      rmSync(join(folder, 'lock'));
      const second = taken(folder, 'second');
      first.release();
      expect(lockFolder(folder, 'third')).toMatchObject({ holder: 'second' });
      second.release();
    }));
});

describe('a folder that cannot be locked', () => {
  it('is used all the same where nothing can be written', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      taken(join(folder, 'file', 'campaign'), 'first').release();
    }));

  it('is used all the same where there is no program for it, which leaves nothing behind', () =>
    withFolder(async (folder) => {
      vi.stubEnv('PATH', folder);
      const first = taken(folder, 'first');
      expect(readdirSync(folder)).toEqual([]);
      taken(folder, 'second').release();
      first.release();
    }));
});

/** Which stacks a lock is kept of. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { problemStack } from '../../src/stacks/own/provision.js';
import type { StackRequest } from '../../src/stacks/own/request.js';
import { matmulCase } from '../support/batch.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const making = { fails: true };
const { makeOwnStacks } = await withModule(
  'src/stacks/own/provision.ts',
  {
    resolveLock: async () => ({ asks: 'x', debian: null, npm: null }),
    makeOwnStack: async ({ request }: { request: StackRequest }) => {
      if (making.fails) throw new Error('scripted 1.0.0 wants to run a script');
      return { ...problemStack(request, ''), problem: null };
    },
  },
  () => import('../../src/cli/own-stacks.js'),
);

const request: StackRequest = {
  name: 'mine',
  provider: 'embedded',
  variant: null,
  library: null,
  folders: [],
  debian: [],
  npm: null,
  environment: {},
};
const batch = {
  case: matmulCase(),
  stack: { provider: 'embedded', variant: null, own: 'mine' },
  device: 'cpu',
  inspections: 1,
  sampling: { kind: 'fixed', repetitions: 1 },
  warmup: { kind: 'count', count: 1 },
  timeout: 60,
} as const;

it('no lock is kept of a stack that cannot be made: what mends its description would not fit it', () =>
  withFolder(async (folder) => {
    making.fails = true;
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const path = join(folder, 'stacks.yaml');
    const file = { path, requests: [request], names: new Map() } as unknown as Parameters<
      typeof makeOwnStacks
    >[0];
    const made = await makeOwnStacks(file, [batch], true);
    expect(made.stacks[0]?.problem).toMatch(/wants to run a script/);
    expect(made.locks).toEqual({});
    expect(existsSync(`${path}.lock`)).toBe(false);

    making.fails = false;
    expect((await makeOwnStacks(file, [batch], true)).locks).toHaveProperty('mine');
    expect(readFileSync(`${path}.lock`, 'utf8')).toContain('"mine"');
  }));

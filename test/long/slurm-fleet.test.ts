/**
 * A fleet of a real Slurm is qualified, node by node, so that nodes that are one machine do not disturb each other: three that are in
 * order, one that a CPU quota slows, one that computes wrongly, one that is lost in mid-run. `fleet check` has to name the three, each
 * with its cause.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FleetCheck } from '../../src/fleet/check.js';
import { tinyLibrary } from '../support/libraries.js';
import { type Run, startPiBench, until, withFolder } from '../support/pi-bench.js';
import { startSlurm } from '../support/slurm.js';

const SOUND = ['n1', 'n2', 'n3'];
const [SLOW, WRONG, LOST] = ['n4', 'n5', 'n6'] as const;
const QUOTA = 0.25;
/** Until a node that is gone is down. */
const PATIENCE_S = 6;
const BEGIN_MS = 60_000;

const suite = (library: string): string => `
name: fleet
cooldown: 100ms
campaign:
  measure:
    - indicator: matmul
      parameters: { size: 96, threads: 1 }
      stacks: 'cblas:${library}'
      duration: 2s
      inspections: 2
      warmup: 100ms
      labels: { part: gemm }
checks:
  - { check: correctness }
  - { check: complete }
  - { check: sustained, atLeast: 0.85 }
`;

it('a fleet of Slurm is qualified, and fleet check names what is wrong with which node', async ({ skip }) => {
  const slurm = await startSlurm({ nodes: 6, patience: PATIENCE_S });
  if (typeof slurm === 'string') return skip(slurm);
  try {
    if (slurm.isolated !== true) return skip(`nodes cannot be machines of their own: ${slurm.isolated}`);
    const unlimited = slurm.limitCpu(SLOW, QUOTA);
    if (unlimited !== null) return skip(unlimited);
    await withFolder(async (folder) => {
      const file = join(folder, 'suite.yaml');
      writeFileSync(file, suite(tinyLibrary(folder, 'tiny', `WRONG_ON="${WRONG}"`)));
      const qualify = (node: string) =>
        startPiBench(
          [
            'submit',
            'slurm',
            '--nodelist',
            node,
            '--json',
            '--out',
            join(folder, node),
            'qualify',
            '--suite',
            file,
          ],
          folder,
          { ...slurm.env, XDG_STATE_HOME: join(folder, 'state') },
        );
      const codes = new Map<string, Run>();
      for (const node of [...SOUND, SLOW, WRONG]) codes.set(node, await qualify(node).ended);
      for (const node of [SLOW, WRONG]) expect(codes.get(node)?.code, codes.get(node)?.stderr).toBe(1);

      const lost = qualify(LOST);
      await until(
        () => slurm.command('squeue', '--noheader', '--states=running').trim() || undefined,
        `a job on ${LOST}`,
        BEGIN_MS,
      );
      await slurm.killNode(LOST);
      expect((await lost.ended).code).toBe(2);

      const folders = [...SOUND, SLOW, WRONG, LOST].flatMap((node) =>
        readdirSync(join(folder, node)).map((name) => join(folder, node, name)),
      );
      const check = await startPiBench(['fleet', 'check', ...folders, '--json'], folder).ended;
      const { nodes, named } = JSON.parse(check.stdout) as FleetCheck;
      expect(nodes).toBe(folders.length);
      const causes = Object.fromEntries(named.map(({ node, cause }) => [node, cause]));
      expect(causes).toMatchObject({ [SLOW]: 'cpu-quota', [WRONG]: 'wrong-result', [LOST]: 'lost' });
      for (const { node, reason, action } of named) {
        expect(reason, node).not.toBe('');
        expect(action, node).not.toBe('');
      }
      expect(check.code).toBe(1);
    });
  } finally {
    await slurm.stop();
  }
});

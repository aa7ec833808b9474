/**
 * A fleet of a real Slurm is qualified, node by node, so that nodes that are one machine do not disturb each other: two that are in
 * order, one that a CPU quota slows, one that computes wrongly, one that is lost in mid-run. `fleet check` has to name the three, each
 * with its cause.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FleetCheck } from '../../src/fleet/check.js';
import { tinyLibrary, waitingLibrary } from '../support/libraries.js';
import { startPiBench, until, withFolder } from '../support/pi-bench.js';
import { processesWith } from '../support/slurm/daemon.js';
import { startSlurm } from '../support/slurm.js';

const SOUND = ['n1', 'n2'];
const [SLOW, WRONG, LOST] = ['n3', 'n4', 'n5'] as const;
/** Of a CPU: each repetition is far shorter than what is left of a period, so the node is slow over the wall clock only. */
const QUOTA = 0.5;
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
      duration: 1s
      inspections: 1
      warmup: 100ms
      labels: { part: gemm }
checks:
  - { check: correctness }
  - { check: complete }
  - { check: sustained, atLeast: 0.85 }
`;

/** Whether an inspection is at work there. */
const measuresOn = (node: string): boolean =>
  processesWith([`SLURMD_NODENAME=${node}`]).some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/inspection/worker.js');
    } catch {
      return false;
    }
  });

it('a fleet of Slurm is qualified, and fleet check names what is wrong with which node', async ({ skip }) => {
  const slurm = await startSlurm({ nodes: 5, patience: PATIENCE_S });
  if (typeof slurm === 'string') return skip(slurm);
  try {
    if (slurm.isolated !== true) return skip(`nodes cannot be machines of their own: ${slurm.isolated}`);
    const unlimited = slurm.limitCpu(SLOW, QUOTA);
    if (unlimited !== null) return skip(unlimited);
    await withFolder(async (folder) => {
      const suiteOf = (name: string, library: string): string => {
        const file = join(folder, `${name}.yaml`);
        writeFileSync(file, suite(library));
        return file;
      };
      const qualify = (node: string, file: string) =>
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

      // The first, as its node is down only after a while: its library waits for a file that never comes, so the kill finds it at work.
      const never = waitingLibrary(folder, join(folder, 'never'));
      const lost = qualify(LOST, suiteOf('waits', never));
      await until(() => measuresOn(LOST) || undefined, `an inspection on ${LOST}`, BEGIN_MS);
      await slurm.killNode(LOST);

      const file = suiteOf('suite', tinyLibrary(folder, 'tiny', `WRONG_ON="${WRONG}"`));
      for (const node of SOUND) await qualify(node, file).ended;
      for (const node of [SLOW, WRONG]) {
        const { code, stderr } = await qualify(node, file).ended;
        expect(code, stderr).toBe(1);
      }
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

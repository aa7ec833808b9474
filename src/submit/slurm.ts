/** Slurm: which nodes, and by which of its programs they are reached. */
import { quoted } from './node-command.js';
import { MOST_BYTES, type Scheduler } from './scheduler.js';
import { batchArguments, batchConnection, batchScript, bindings } from './slurm-batch.js';
import { askNodes, askReservation, expandNodes } from './slurm-queue.js';
import { slurmOptions, slurmSettings } from './slurm-request.js';
import { srunConnection, srunDryRun } from './slurm-srun.js';
import { areChosen, chooseTargets, textOf } from './slurm-targets.js';

export const slurm: Scheduler = {
  name: 'slurm',
  summary: 'On nodes of a Slurm cluster, each by itself',
  options: slurmOptions,
  examples: [
    ['$0 submit slurm matmul --nodes 16 --reservation new-rack', 'a record of each of 16 nodes'],
    [
      "$0 submit slurm run campaign.yaml --nodelist 'n[1-4]' --retries 1",
      'a campaign file, lost nodes once more',
    ],
  ],
  mostBytes: MOST_BYTES,
  settingsOf: slurmSettings,
  async targets(settings) {
    const list = textOf(settings, 'nodelist');
    const exclude = textOf(settings, 'exclude');
    const named = list === null ? null : await expandNodes(list);
    const excluded = exclude === null ? [] : await expandNodes(exclude);
    const reservation = areChosen(settings) ? textOf(settings, 'reservation') : null;
    const reserved = reservation === null ? null : await askReservation(reservation);
    const partition = textOf(settings, 'partition') ?? reserved?.partition ?? null;
    const nodes = await askNodes(partition, null);
    return chooseTargets(settings, { partition, nodes, reserved: reserved?.nodes ?? null, named, excluded });
  },
  connect: async (context) =>
    context.settings.via === 'srun' ? srunConnection(context) : batchConnection(context),
  dryRunNeeds: 'a live controller, which tells the nodes',
  async dryRun(context, tasks) {
    const { settings } = context;
    const line = (words: readonly string[]): string => words.map(quoted).join(' ');
    if (settings.via === 'srun')
      return (await srunDryRun(context, tasks)).map((command) => `${line(command)}\n`).join('');
    const command = line(['sbatch', ...batchArguments(context, tasks)]);
    return `${command} <<'END'\n${batchScript(settings, tasks)}END\nscontrol <<'END'\n${bindings('JOB', tasks)}END\n`;
  },
};

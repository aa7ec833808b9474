/** What goes on around a qualification, and no description of the machine holds: other work, counted memory errors. The edge to the system. */
import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { askForGpus } from '../../devices/gpu-survey.js';
import { wholeNumber } from '../../machine/linux/reader.js';
import { readLocalFile } from '../../machine/local-files.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Aftermath, Surroundings } from '../../qualify/criteria/criterion.js';
import type { Seconds } from '../../units.js';

/** Ticks of 10 ms: enough of them for a share. */
const WATCHED_MS = 400;

interface CpuTimes {
  readonly busy: number;
  readonly all: number;
}

/** Ticks of all CPUs since boot; user, nice, system, idle, iowait, irq, softirq, steal. */
function cpuTimes(): CpuTimes | null {
  const fields = /^cpu +(.*)$/m
    .exec(readLocalFile('/proc/stat') ?? '')?.[1]
    ?.split(/\s+/)
    .map(Number);
  if (fields === undefined || fields.length < 8) return null;
  const [idle = 0, wait = 0] = fields.slice(3, 5);
  const all = fields.slice(0, 8).reduce((sum, ticks) => sum + ticks, 0);
  return { busy: all - idle - wait, all };
}

/** A GPU without persistence mode takes that long to wake up. */
const LEAST_FOR_GPUS: Seconds = 3;
/** A driver that is well has answered by then. */
const MOST_FOR_GPUS: Seconds = 15;

const MEMORY_CONTROLLERS = '/sys/devices/system/edac/mc';

function memoryErrors(): Surroundings['memoryErrors'] {
  let names: readonly string[];
  try {
    names = readdirSync(MEMORY_CONTROLLERS).filter((name) => /^mc\d+$/.test(name));
  } catch {
    return null;
  }
  // Of one that does not tell, nobody knows that it had none.
  const count = (file: string): number | null =>
    names
      .map((name) => wholeNumber(readLocalFile(`${MEMORY_CONTROLLERS}/${name}/${file}`)))
      .reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
  const [corrected, uncorrected] = [count('ce_count'), count('ue_count')];
  return names.length === 0 || corrected === null || uncorrected === null ? null : { corrected, uncorrected };
}

/**
 * Looks at the counters again.
 * @param machine as it was found before; its GPUs are asked again
 * @param time that there is for it
 */
export function lookAgain({ gpus }: MachineDescription, time: Seconds, ask = askForGpus): Aftermath {
  const none = (gpus?.devices.length ?? 0) === 0;
  return {
    memoryErrors: memoryErrors(),
    gpus: none ? { problem: null, devices: [] } : askAgain(time, ask),
  };
}

function askAgain(time: Seconds, ask: typeof askForGpus): Aftermath['gpus'] {
  if (time < LEAST_FOR_GPUS) return { unheard: 'there was no time left', noTime: true };
  const answer = ask(Math.min(time, MOST_FOR_GPUS));
  if (!('unheard' in answer)) return answer;
  const { unheard, timedOut } = answer;
  return { unheard, noTime: timedOut && time < MOST_FOR_GPUS };
}

/**
 * With its GPUs as they are now, once another campaign has left them; as they were found where they do not answer.
 * @param time that there is for it
 */
export function withGpusNow(machine: MachineDescription, time: Seconds): MachineDescription {
  if ((machine.gpus?.devices.length ?? 0) === 0 || time < LEAST_FOR_GPUS) return machine;
  const gpus = askForGpus(Math.min(time, MOST_FOR_GPUS));
  return 'unheard' in gpus ? machine : { ...machine, gpus };
}

/** Watches for a moment. */
export async function lookAround(): Promise<Surroundings> {
  const before = cpuTimes();
  await setTimeout(WATCHED_MS);
  const after = cpuTimes();
  const ticks = before === null || after === null ? 0 : after.all - before.all;
  return {
    busy: before === null || after === null || ticks <= 0 ? null : (after.busy - before.busy) / ticks,
    memoryErrors: memoryErrors(),
  };
}

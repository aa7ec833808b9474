/**
 * Asks the NVIDIA driver what is here, in a process of its own: a driver that hangs or crashes takes nobody with it, and
 * the campaign's process keeps nothing of it. The edge to the system.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type GpuSurvey, noGpus, type Unheard } from '../machine/gpus.js';
import { programFile } from '../programs.js';
import type { Seconds } from '../units.js';

const WORKER = programFile('devices/gpu-survey-worker');
/** A GPU without persistence mode takes seconds to wake up. */
const TIME_LIMIT: Seconds = 60;
/** Of what the worker says; libraries may write to the others. */
const CHANNEL = 3;

/**
 * What whoever asks the driver anything must have in its environment. By PCI bus, so that numbers mean the same to NVML, to nvidia-smi
 * and from one start to the next. And no launch waits for its kernel, as one would that is debugged: behind the gate at the head
 * of a group of repetitions it would wait for us.
 */
export const DRIVER_SETTINGS = { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_LAUNCH_BLOCKING: '0' } as const;

/** Whether the kernel's part of the driver is here, so that asking is worth its time. */
export const gpusVisible = (): boolean => existsSync('/dev/nvidiactl');

function unheardFor(error: NodeJS.ErrnoException, limit: Seconds): Unheard {
  return error.code === 'ETIMEDOUT'
    ? { unheard: `the NVIDIA driver did not answer within ${Number(limit.toFixed(1))} s`, timedOut: true }
    : { unheard: `the NVIDIA driver was not asked: ${error.message}`, timedOut: false };
}

/**
 * @param limit after which a driver that does not answer is given up
 * @param worker the program that asks
 */
export function askForGpus(limit: Seconds, worker: string = WORKER): GpuSurvey | Unheard {
  const { status, signal, output, error } = spawnSync(process.execPath, [worker], {
    env: { ...process.env, ...DRIVER_SETTINGS },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: Math.ceil(limit * 1000),
    killSignal: 'SIGKILL',
  });
  const text = output?.[CHANNEL] ?? '';
  if (text !== '') return JSON.parse(text) as GpuSurvey;
  if (error !== undefined) return unheardFor(error, limit);
  const how = signal === null ? `ended the process with exit code ${status}` : `ended with ${signal}`;
  return noGpus(`asking the NVIDIA driver ${how}`);
}

/** @param limit null: a minute */
export function surveyGpus(limit: Seconds | null = null): GpuSurvey {
  const answer = askForGpus(limit ?? TIME_LIMIT);
  return 'unheard' in answer ? noGpus(answer.unheard) : answer;
}

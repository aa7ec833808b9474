/** Submissions and tasks as the tests of this folder describe them. */
import type { SubmissionHead } from '../../src/submit/journal.js';
import { type Delivery, deliveryLines, type Task } from '../../src/submit/task.js';

export const AT = '2026-11-21T00:00:00.000Z';

/** What a submission begins its journal with. */
export const headOf = (more: Partial<SubmissionHead> = {}): SubmissionHead => ({
  event: 'submission',
  schemaVersion: 1,
  id: '20261121T000000Z-slurm-matmul-aaaaaa',
  createdAt: AT,
  scheduler: 'slurm',
  settings: {},
  command: ['matmul'],
  cwd: '/',
  token: 't',
  files: {},
  mostBytes: 1,
  retries: 0,
  giveUp: null,
  targets: ['n1'],
  at: AT,
  ...more,
});

export const taskOf = (more: Partial<Task> = {}): Task => ({
  command: ['matmul'],
  cwd: '/',
  folder: '/f',
  token: 't',
  target: 'n1',
  attempt: 1,
  files: {},
  mostBytes: 1,
  ...more,
});

/** Of a node that did what it was told. */
export const deliveryOf = (target: string, attempt = 1): Delivery => ({
  target,
  attempt,
  node: 'n1',
  exitCode: 0,
  campaign: null,
  said: null,
  leftBehind: null,
  files: null,
});

/** All that such a node prints. */
export const resultOf = (target: string, attempt = 1): string => deliveryLines(deliveryOf(target, attempt));

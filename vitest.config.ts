import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Each Node reads and checks these when it starts, which may take longer than the start itself; npm alone asks for them (test/support/frameworks.ts).
const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
delete process.env.NODE_EXTRA_CA_CERTS;
if (certificates !== undefined) process.env.TESTS_CA_CERTS = certificates;

const e2e = (...names: readonly string[]): string[] => names.map((name) => `test/e2e/${name}.test.ts`);

/** Tests of the command, of what is compiled, and of what a whole machine has only once. */
const COMMAND = [
  'test/e2e/**/*.test.ts',
  'test/gpu/**/*.test.ts',
  'test/execution/machine-lock.test.ts',
  'test/native/**/*.test.ts',
];

/**
 * Those among them that do not mind what else is running: what they look at depends on no time. Each file has a network of its
 * own, and by it locks of its own (test/support/own-network.ts).
 */
const BESIDE = [
  ...e2e('bad-input', 'compare', 'failures', 'first-part', 'fleet', 'frameworks', 'frameworks-gpu', 'gloo', 'gpu', 'gpu-graphs'),
  ...e2e('history', 'import', 'latency', 'matmul', 'memory', 'nccl', 'on-node', 'peak', 'qualify', 'report', 'resume', 'resume-gone', 'show', 'stacks'),
  ...e2e('submit-refusals', 'sweep', 'without-addon'),
  'test/native/{cuda-check,native-checks,precompiled}.test.ts',
];

/** Those that need the machine's network as well: registries, a database, Slurm, ranks. Few of their campaigns wait here. */
const REACHING_OUT = e2e('mpi-said', 'nccl-hosts', 'nccl-processes', 'own-stacks', 'recipes', 'submit', 'submit-accounts', 'submit-mpi', 'thoth-postgres');

/** Builds everything once more, and the kernels for GPUs, and injects faults, which takes minutes: `npm run check:package`. */
const APART = [...e2e('package', 'self-test'), 'test/scripts/cuda-kernels-compiled.test.ts'];

/** Takes minutes: `npm run check:long`. */
const LONG = 'test/long/**/*.test.ts';

/** Two more than CPUs: tests of the command wait for processes, sleeps and sockets for more than half of their time. */
const WORKERS = availableParallelism() + 2;

/**
 * The longest of those that run beside each other, whatever their size, which is what vitest goes by; between them those that
 * mostly wait, for a Slurm, so that CPUs have something to do meanwhile.
 */
const FIRST = [
  ...['e2e/gpu', 'e2e/submit', 'stacks/gloo-plugin', 'e2e/matmul', 'e2e/own-stacks', 'e2e/qualify', 'e2e/report'],
  ...['e2e/submit-accounts', 'native/native-checks', 'e2e/recipes', 'e2e/sweep', 'e2e/submit-mpi'],
].map((name) => `/test/${name}.test.ts`);

/** Begins with these, so that none of them is left over, alone, when all others are done. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = FIRST.findIndex((name) => moduleId.endsWith(name));
      return found === -1 ? FIRST.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const BESIDE_EACH_OTHER = {
  pool: 'forks',
  maxWorkers: WORKERS,
  sequence: { groupOrder: 0 },
} as const;

/** Several commands take longer than a test of functions. */
const PATIENT = { testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...BESIDE_EACH_OTHER,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...COMMAND, ...APART, LONG],
          // They leave nothing behind in their process, and a process for each would take longer than most of their tests.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...BESIDE_EACH_OTHER,
          ...PATIENT,
          name: 'command',
          include: BESIDE,
          setupFiles: 'test/support/own-network.ts',
          // Where there is no network of their own, campaigns tell of those of other tests.
          env: { TESTS_BESIDE: 'yes' },
        },
      },
      {
        test: {
          ...BESIDE_EACH_OTHER,
          ...PATIENT,
          name: 'outside',
          include: REACHING_OUT,
          env: { TESTS_BESIDE: 'yes' },
        },
      },
      {
        test: {
          ...PATIENT,
          // They measure the machine, or look at what others do: one file at a time.
          name: 'machine',
          include: COMMAND,
          exclude: [...BESIDE, ...REACHING_OUT, ...APART],
          pool: 'forks',
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

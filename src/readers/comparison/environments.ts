/** Whether what is compared was launched with the same variables: libraries choose their code by them. Pure. */
import { canonicalJson } from '../../record/digest.js';
import type { RecordBatch } from '../../record/schema.js';
import { mayRead, setVariables } from '../../stacks/read-variables.js';
import type { Circumstance } from './circumstance.js';

/**
 * What pi-bench itself sets, or leaves out, for some stacks and not for others, and by the case's threads and device (`environment` of
 * src/stacks, `environmentOn` of src/campaign/launch-environment.ts): between two stacks no difference that anybody made.
 */
const OURS: ReadonlySet<string> = new Set([
  ...['OMP_NUM_THREADS', 'OMP_DYNAMIC', 'OMP_THREAD_LIMIT', 'OMP_PROC_BIND', 'OMP_PLACES'],
  ...['GOMP_CPU_AFFINITY', 'KMP_AFFINITY', 'OPENBLAS_NUM_THREADS', 'GOTO_NUM_THREADS', 'BLIS_NUM_THREADS'],
  ...['BLIS_JC_NT', 'BLIS_PC_NT', 'BLIS_IC_NT', 'BLIS_JR_NT', 'BLIS_IR_NT'],
  ...['MKL_NUM_THREADS', 'MKL_DOMAIN_NUM_THREADS', 'MKL_DYNAMIC', 'MKL_THREADING_LAYER'],
  ...['TF_NUM_INTRAOP_THREADS', 'TF_NUM_INTEROP_THREADS', 'TF_CPP_MIN_LOG_LEVEL'],
  ...['CUDA_DEVICE_ORDER', 'CUDA_LAUNCH_BLOCKING', 'CUDA_VISIBLE_DEVICES', 'NVIDIA_TF32_OVERRIDE'],
  ...['CUBLAS_EMULATE_SINGLE_PRECISION', 'CUBLAS_EMULATE_DOUBLE_PRECISION'],
]);

/** What a stack of a stack file brings with it: between two of them it is what is compared. */
const broughtBy = ({ stack: { own } }: RecordBatch): readonly string[] =>
  own === undefined ? [] : ['LD_LIBRARY_PATH', ...Object.keys(own.environment)];

/** Batches of which these are equal were given the same variables by pi-bench. */
const launchKey = ({ stack: { provider, own }, case: one, device }: RecordBatch): string =>
  canonicalJson([provider, own?.name ?? null, one, device]);

type Variables = Readonly<Record<string, string>>;

/** null: it has no launch that says in what it ran. */
const variablesOf = ({ stack: { environment } }: RecordBatch): Variables | null =>
  environment === undefined ? null : setVariables(environment);

/**
 * What neither of the two reads cannot be why their rates differ, as NCCL's of products on the CPU. One of them is enough: it may have
 * gone without what the other one had and left alone.
 */
function differingNames(reference: RecordBatch, candidate: RecordBatch): readonly string[] {
  const [own, other] = [variablesOf(reference), variablesOf(candidate)];
  if (own === null || other === null) return [];
  const isRead = [mayRead(reference.asked, own), mayRead(candidate.asked, other)];
  const names = [...new Set([...Object.keys(own), ...Object.keys(other)])].sort();
  const differing = names.filter((name) => own[name] !== other[name] && isRead.some((reads) => reads(name)));
  if (launchKey(reference) === launchKey(candidate)) return differing;
  const brought = [...broughtBy(reference), ...broughtBy(candidate)];
  return differing.filter((name) => !OURS.has(name) && !brought.includes(name));
}

function variableText(batch: RecordBatch, name: string): string {
  const value = variablesOf(batch)?.[name];
  return value === undefined ? `without ${name}` : `${name}=${value}`;
}

export const ENVIRONMENT: Circumstance = {
  by: null,
  note: 'launched with different variables, which may be the reason of a difference',
  weakness: { flag: 'other-environment', text: 'launched with other variables' },
  differences: ({ batch: reference }, { batch: candidate }) =>
    differingNames(reference, candidate).map((name) => [
      variableText(reference, name),
      variableText(candidate, name),
    ]),
};

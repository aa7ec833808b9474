/** What Kubernetes says of a pod, and of a job without pods, read. Pure. */
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { ContainerStateTerminated, ContainerStatus, Pod } from 'kubernetes-types/core/v1.js';
import { CONTAINER } from './kubernetes-manifest.js';
import type { JobState } from './scheduler.js';

const INDEX = 'batch.kubernetes.io/job-completion-index';

/** A job that failed as a whole takes its pods with it, as where its time is up; null: it has not, or keeps them. */
function jobState({ status }: Job): JobState | null {
  const failed = status?.conditions?.find(({ type, status: holds }) => type === 'Failed' && holds === 'True');
  if (failed === undefined) return null;
  const why = joined(failed.reason, failed.message);
  return {
    phase: 'ended',
    itself: false,
    node: null,
    reason: `the job failed${why === null ? '' : ` (${why})`}`,
  };
}

/** `1,3-5,7`, as a job's status lists indexes. */
const lists = (ranges: string | undefined, index: number): boolean =>
  (ranges ?? '').split(',').some((range) => {
    const [first = '', last = first] = range.split('-');
    return first !== '' && Number(first) <= index && index <= Number(last);
  });

/** Of an index that has no pod: a quota, or a busy controller, may let it wait long for one. null: it had one, or gets none. */
export function podlessState(job: Job, index: number): JobState | null {
  const { metadata, status } = job;
  const had = lists(status?.failedIndexes, index) || lists(status?.completedIndexes, index);
  const failed = jobState(job);
  if (failed !== null || had || metadata?.deletionTimestamp != null) return failed;
  return { phase: 'waiting', why: 'its pod is not made yet' };
}

export const indexOf = ({ metadata }: Pod): string | null =>
  metadata?.annotations?.[INDEX] ?? metadata?.labels?.[INDEX] ?? null;

/** An image that cannot be had is asked for again for ever. */
/** As long as they last: of an image that cannot be pulled the two reasons take turns. */
const HOPELESS = [
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'ErrImagePull',
  'ImagePullBackOff',
];

const joined = (...words: readonly (string | undefined)[]): string | null =>
  words.filter((word) => word !== undefined && word !== '').join(': ') || null;

function waitingFor(pod: Pod, container: ContainerStatus | undefined): JobState {
  const waiting = container?.state?.waiting;
  if (waiting !== undefined) {
    const why = joined(waiting.reason, waiting.message);
    return { phase: 'waiting', why, hopeless: HOPELESS.includes(waiting.reason ?? '') };
  }
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  return { phase: 'waiting', why: joined(unscheduled?.reason, unscheduled?.message) };
}

/** Milliseconds: clocks of a cluster and ours need not agree. */
const GONE_WITHIN = 60_000;

/**
 * A pod that is deleted keeps its phase until its node says that it is gone, and a dead node never does.
 * `deletionTimestamp` is when it was to be gone; the client makes a Date of it, whatever the type says.
 */
const isForsaken = ({ metadata }: Pod, now: number): boolean =>
  metadata?.deletionTimestamp != null && now - new Date(metadata.deletionTimestamp).getTime() > GONE_WITHIN;

/** Of whatever kept the pod from its end: words of the pod, of pi-bench's container, and the code with which that ended. */
function failureOf({ status }: Pod, terminated: ContainerStateTerminated | undefined): string {
  const code = terminated === undefined ? undefined : `exit code ${terminated.exitCode}`;
  const why = joined(status?.reason, status?.message, terminated?.reason, terminated?.message, code);
  return `the pod failed${why === null ? '' : ` (${why})`}`;
}

/**
 * Of pi-bench's container, as far as the pod tells: one beside it may go on for ever, or fail.
 * @param now in milliseconds since 1970
 */
export function podState(pod: Pod, now: number): JobState {
  const container = pod.status?.containerStatuses?.find(({ name }) => name === CONTAINER);
  const node = pod.spec?.nodeName ?? null;
  const terminated = container?.state?.terminated;
  const phase = pod.status?.phase;
  if (phase !== 'Succeeded' && phase !== 'Failed' && isForsaken(pod, now)) {
    const why = joined(pod.status?.reason, pod.status?.message);
    const reason = `the pod was deleted, and its node does not say that it is gone${why === null ? '' : ` (${why})`}`;
    return { phase: 'ended', itself: false, node, reason };
  }
  if (terminated?.exitCode === 0 || phase === 'Succeeded')
    return { phase: 'ended', itself: true, node, reason: 'the pod ended and left no result in its log' };
  if (terminated !== undefined || phase === 'Failed')
    return { phase: 'ended', itself: false, node, reason: failureOf(pod, terminated) };
  switch (phase) {
    case 'Running':
      return { phase: 'running', node };
    case 'Unknown':
      return { phase: 'ended', itself: false, node, reason: 'the pod’s node does not answer' };
    default:
      return waitingFor(pod, container);
  }
}

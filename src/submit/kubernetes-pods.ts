/** What Kubernetes says of a pod, read. Pure. */
import type { ContainerStatus, Pod } from 'kubernetes-types/core/v1.js';
import type { JobState } from './scheduler.js';

const INDEX = 'batch.kubernetes.io/job-completion-index';

export const indexOf = ({ metadata }: Pod): string | null =>
  metadata?.annotations?.[INDEX] ?? metadata?.labels?.[INDEX] ?? null;

/** An image that cannot be had is asked for again for ever. */
const HOPELESS = ['ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError', 'ImagePullBackOff'];

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

export function podState(pod: Pod): JobState {
  const container = pod.status?.containerStatuses?.[0];
  const node = pod.spec?.nodeName ?? null;
  const terminated = container?.state?.terminated;
  switch (pod.status?.phase) {
    case 'Running':
      return { phase: 'running', node };
    case 'Succeeded':
      return { phase: 'ended', itself: true, node, reason: 'the pod ended and left no result in its log' };
    case 'Failed': {
      const code = terminated === undefined ? undefined : `exit code ${terminated.exitCode}`;
      const why = joined(
        pod.status.reason,
        pod.status.message,
        terminated?.reason,
        terminated?.message,
        code,
      );
      return {
        phase: 'ended',
        itself: false,
        node,
        reason: `the pod failed${why === null ? '' : ` (${why})`}`,
      };
    }
    case 'Unknown':
      return { phase: 'ended', itself: false, node, reason: 'the pod’s node does not answer' };
    default:
      return waitingFor(pod, container);
  }
}

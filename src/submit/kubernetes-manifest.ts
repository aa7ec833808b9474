/** The Indexed Job that a submission is on Kubernetes: one pod for each node, without privileges, whose result is in its log. Pure. */
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Affinity, NodeSelectorRequirement, Toleration } from 'kubernetes-types/core/v1.js';
import { jobName } from './names.js';
import type { Context, Settings } from './scheduler.js';
import { commonTask, INDEX_VARIABLE, NODE_VARIABLE, type Task, taskArguments } from './task.js';

export const SUBMISSION_LABEL = 'pi-bench/submission';
/** The container whose log has the result; a cluster may put others beside it. */
export const CONTAINER = 'pi-bench';
const HOSTNAME = 'kubernetes.io/hostname';
const INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']";
/** Logs are rotated at 10 MiB by default, and base64 of a gzip archive takes a third more. */
export const MOST_LOG_BYTES = 4 * 1024 ** 2;
/** Long enough for somebody to look what went wrong. */
const KEPT_SECONDS = 86_400;

const pairs = (value: Settings[string] | undefined): Record<string, string> =>
  Object.fromEntries(
    (Array.isArray(value) ? value : []).map((pair: string) => [
      pair.slice(0, pair.indexOf('=')),
      pair.slice(pair.indexOf('=') + 1),
    ]),
  );

/** No two pods of a submission at once on a node, and none elsewhere than asked for. */
function affinityOf(settings: Settings, label: string): Affinity {
  const nodes = settings.nodelist;
  const named: NodeSelectorRequirement[] = Array.isArray(nodes)
    ? [{ key: HOSTNAME, operator: 'In', values: [...nodes] }]
    : [];
  return {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: HOSTNAME, labelSelector: { matchLabels: { [SUBMISSION_LABEL]: label } } },
      ],
    },
    ...(named.length === 0
      ? {}
      : {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: named }],
            },
          },
        }),
  };
}

/** `key=value:NoSchedule`, `key:NoSchedule` and `key`. */
function toleration(text: string): Toleration {
  const [, key = text, value, effect] = /^([^=:]+)(?:=([^:]*))?(?::(\w+))?$/.exec(text) ?? [];
  return {
    key,
    ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
    ...(effect === undefined ? {} : { effect }),
  };
}

/** Kubernetes takes `$(NAME)` in a command for a variable, and two dollars for one. */
const literal = (word: string): string => word.replaceAll('$', () => '$$');

/** Without these it would be another job: one whose pods cannot be told apart, or that are started again behind our back. */
const NEEDED = ['completionMode', 'backoffLimitPerIndex'] as const;

/** What of them an API server left out of a job, or took otherwise: one that does not know a field says nothing. */
export const leftOut = (asked: Job, made: Job): readonly string[] =>
  NEEDED.filter((name) => made.spec?.[name] !== asked.spec?.[name]);

/** @param tasks of one attempt, one for each index; needs Kubernetes 1.29 or newer */
export function jobManifest({ settings, label }: Context, tasks: readonly Task[]): Job {
  const task = commonTask(tasks);
  const labels = { 'app.kubernetes.io/name': 'pi-bench', [SUBMISSION_LABEL]: label };
  const resources = pairs(settings.limits);
  const deadline = settings.time;
  const start = typeof settings.piBench === 'string' ? settings.piBench : 'pi-bench';
  const tolerations = Array.isArray(settings.tolerate) ? settings.tolerate.map(toleration) : [];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: jobName(label, tasks), namespace: String(settings.namespace), labels },
    spec: {
      completionMode: 'Indexed',
      completions: tasks.length,
      parallelism: tasks.length,
      // Another attempt is pi-bench's decision, and a lost node must not end the others.
      backoffLimitPerIndex: 0,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      ...(typeof deadline === 'number' ? { activeDeadlineSeconds: deadline } : {}),
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          affinity: affinityOf(settings, label),
          ...(settings.selector === null ? {} : { nodeSelector: pairs(settings.selector) }),
          ...(tolerations.length === 0 ? {} : { tolerations }),
          containers: [
            {
              name: CONTAINER,
              image: String(settings.image),
              command: [start, ...taskArguments(task)].map(literal),
              env: [
                { name: NODE_VARIABLE, valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
                { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath: INDEX } } },
              ],
              ...(Object.keys(resources).length === 0
                ? {}
                : { resources: { limits: resources, requests: resources } }),
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ['ALL'] },
                seccompProfile: { type: 'RuntimeDefault' },
              },
            },
          ],
        },
      },
    },
  };
}

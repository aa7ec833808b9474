/** Kubernetes: an Indexed Job for each attempt. Which node a pod gets the cluster decides; results come back in logs. */

import { stringify } from 'yaml';
import type { Options } from 'yargs';
import { messageOf, UserError } from '../errors.js';
import { requireDuration } from '../quantities/parse.js';
import { type Cluster, openCluster } from './kubernetes-client.js';
import { gpuHint } from './kubernetes-hint.js';
import { jobManifest, leftOut, MOST_LOG_BYTES, SUBMISSION_LABEL } from './kubernetes-manifest.js';
import { indexOf, podlessState, podState } from './kubernetes-pods.js';
import { checkedNode, jobName } from './names.js';
import { tailOf } from './node-command.js';
import type { Connection, Context, JobState, Scheduler, Submitted } from './scheduler.js';
import type { Task } from './task.js';

const GROUP = 'Kubernetes:';
const text = (describe: string): Options => ({ type: 'string', group: GROUP, describe });

const options: Readonly<Record<string, Options>> = {
  image: text('The image in which pi-bench is'),
  nodes: text('How many nodes, each with a pod of its own'),
  nodelist: text('These nodes, by their kubernetes.io/hostname: node1,node2'),
  selector: text('Only nodes with these labels: pool=gpu,rack=3'),
  limits: text('Resources of each pod: nvidia.com/gpu=8; of cpu it is a quota, and qualify says no to one'),
  tolerate: text('Taints that are no hindrance: fresh:NoSchedule,key=value:NoExecute'),
  namespace: { ...text('Namespace of the job'), default: 'default' },
  context: text('Context of the kubeconfig; without it the current one'),
  time: text('Time limit of the job (30min)'),
};

const listOf = (given: unknown): readonly string[] | null =>
  given === undefined
    ? null
    : String(given)
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');

/** `nvidia.com/gpu`, as Kubernetes names resources and labels. */
const NAME = '(?:[a-z0-9.-]+/)?[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?';
const LABEL = new RegExp(`^${NAME}=[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?$`);
/** `64`, `500m`, `10Gi`, `1e3`. */
const LIMIT = new RegExp(`^${NAME}=(?:\\d+\\.?\\d*|\\.\\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d+)?$`);
/** Of which references to images are made; what Kubernetes itself takes fails on the nodes only. */
const IMAGE = /^[A-Za-z0-9][\w.:/@-]*$/;

/**
 * @param such what each pair is
 * @param example of one
 * @throws UserError
 */
function pairsOf(given: unknown, flag: string, such: RegExp, example: string): readonly string[] | null {
  const pairs = listOf(given);
  const wrong = pairs?.find((pair) => !such.test(pair));
  if (wrong !== undefined)
    throw new UserError(
      `${flag} takes names with values, name=value; got "${wrong}", not such as ${example}`,
    );
  return pairs;
}

/** @throws UserError */
function imageOf(given: unknown): string {
  if (given === undefined) throw new UserError('say in which image pi-bench is: --image registry/pi-bench');
  const image = String(given);
  if (IMAGE.test(image)) return image;
  throw new UserError(`--image takes the name of an image, such as registry/pi-bench:1; got "${image}"`);
}

/** @throws UserError */
function countOf(nodes: unknown, nodelist: readonly string[] | null): number {
  if (nodelist !== null && nodes === undefined) return nodelist.length;
  const count = Number(nodes);
  if (nodes !== undefined && Number.isInteger(count) && count >= 1 && count <= 100_000) return count;
  if (nodes === undefined) throw new UserError('say which nodes: --nodes 16 or --nodelist node1,node2');
  throw new UserError(`--nodes takes a number of nodes; got "${String(nodes)}"`);
}

/** A job's name and an index of it. */
function handlesOf(label: string, tasks: readonly Task[]): readonly Submitted[] {
  const name = jobName(label, tasks);
  return tasks.map(({ target }, index) => ({ target, job: `${name}/${index}` }));
}

function connection(context: Context, cluster: Cluster): Connection {
  const { label, settings } = context;
  const { namespace } = settings;
  const selector = `${SUBMISSION_LABEL}=${label}`;
  /** Of those last asked for: jobs whose pods the cluster has yet to make. */
  const podless = new Set<string>();
  /** The newest pod of a job's index. */
  const podOf = async ({ job }: Submitted) => {
    const [name = '', index = ''] = job.split('/');
    const pods = await cluster.pods(`batch.kubernetes.io/job-name=${name}`);
    return pods.filter((pod) => indexOf(pod) === index).at(-1) ?? null;
  };
  const logOf = async (job: Submitted): Promise<string> => {
    const name = (await podOf(job))?.metadata?.name;
    return name === undefined ? '' : cluster.log(name);
  };
  /** Of a server that took another job than it was given. */
  const refused = async (missing: readonly string[], job: string): Promise<UserError> => {
    const left = await cluster.removeJob(job).then(
      () => 'nothing is left there',
      (error: unknown) => `job ${job} is left there (${messageOf(error)})`,
    );
    return new UserError(
      `this Kubernetes leaves ${missing.join(' and ')} out of a job: it is older than 1.29, or has that switched off; ${left}`,
    );
  };
  return {
    async submit(tasks) {
      const job = jobManifest(context, tasks);
      const missing = leftOut(job, await cluster.create(job));
      if (missing.length > 0) throw await refused(missing, job.metadata?.name ?? '');
      return handlesOf(label, tasks);
    },
    async find(tasks) {
      const name = jobName(label, tasks);
      const jobs = await cluster.jobs(selector);
      return jobs.some(({ metadata }) => metadata?.name === name) ? handlesOf(label, tasks) : [];
    },
    async observe(jobs) {
      const states = new Map<string, JobState>();
      const now = Date.now();
      for (const pod of await cluster.pods(selector)) {
        const job = `${pod.metadata?.labels?.['batch.kubernetes.io/job-name'] ?? ''}/${indexOf(pod)}`;
        if (jobs.some((asked) => asked.job === job)) states.set(job, podState(pod, now));
      }
      const others = jobs.filter(({ job }) => !states.has(job));
      podless.clear();
      if (others.length === 0) return states;
      const listed = new Map((await cluster.jobs(selector)).map((job) => [job.metadata?.name, job]));
      for (const { job } of others) {
        const [name, index] = job.split('/');
        const whole = listed.get(name);
        const state = whole === undefined ? null : podlessState(whole, Number(index));
        if (state !== null) states.set(job, state);
        if (state?.phase === 'waiting') podless.add(job);
      }
      return states;
    },
    output: logOf,
    async said(job) {
      try {
        return tailOf(await logOf(job), /^pi-bench: /);
      } catch (error) {
        return messageOf(error);
      }
    },
    // Its pod alone: the job has those of other nodes, and its index is not tried again.
    async cancel(job) {
      // One that is given up here alone would begin all the same, whenever its pod is made.
      if (podless.has(job.job))
        throw new UserError(
          `its pod is not made yet and may begin later: kubectl delete job --namespace ${namespace} ${job.job.split('/')[0]} gives up all nodes of that job`,
        );
      const name = (await podOf(job))?.metadata?.name;
      if (name !== undefined) await cluster.removePod(name);
    },
    howToCancel: () => `kubectl delete job --namespace ${namespace} --selector ${selector}`,
  };
}

export const kubernetes: Scheduler = {
  name: 'kubernetes',
  summary: 'On nodes of a Kubernetes cluster, as an Indexed Job (1.29 or newer)',
  options,
  examples: [
    ['$0 submit kubernetes matmul --image registry/pi-bench --nodes 4', 'a record of each of four nodes'],
    ['$0 submit kubernetes matmul --image registry/pi-bench --nodes 4 --dry-run', 'the manifest'],
  ],
  mostBytes: MOST_LOG_BYTES,
  settingsOf(flags) {
    const image = imageOf(flags.image);
    const nodelist = listOf(flags.nodelist)?.map(checkedNode) ?? null;
    return {
      image,
      nodes: countOf(flags.nodes, nodelist),
      nodelist,
      selector: pairsOf(flags.selector, '--selector', LABEL, 'pool=gpu'),
      limits: pairsOf(flags.limits, '--limits', LIMIT, 'nvidia.com/gpu=8'),
      tolerate: listOf(flags.tolerate),
      namespace: String(flags.namespace),
      context: flags.context === undefined ? null : String(flags.context),
      time: flags.time === undefined ? null : Math.ceil(requireDuration(String(flags.time), '--time')),
    };
  },
  hint: gpuHint,
  async targets({ nodes }) {
    return { names: Array.from({ length: Number(nodes) }, (_, i) => String(i)), unfit: new Map() };
  },
  async connect(context) {
    const { namespace, context: kube } = context.settings;
    return connection(context, await openCluster(String(namespace), typeof kube === 'string' ? kube : null));
  },
  dryRunNeeds: null,
  dryRun: (context, tasks) => stringify(jobManifest(context, tasks), { aliasDuplicateObjects: false }),
};

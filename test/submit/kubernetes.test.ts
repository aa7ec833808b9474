import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FRAMEWORKS_FROM } from '../../src/frameworks/packages.js';
import { kubernetes } from '../../src/submit/kubernetes.js';
import { isRefusal } from '../../src/submit/kubernetes-client.js';
import { jobManifest } from '../../src/submit/kubernetes-manifest.js';
import { podlessState, podState } from '../../src/submit/kubernetes-pods.js';
import { NoAnswer } from '../../src/submit/no-answer.js';
import type { Context } from '../../src/submit/scheduler.js';
import { parseTask, taskArguments } from '../../src/submit/task.js';
import { frameworksProject } from '../support/frameworks.js';
import { resultOf, taskOf } from './support.js';

const TASK = taskOf({ command: ['matmul', '--size', '64'], target: '0' });
const TASKS = ['0', '1', '2'].map((target) => ({ ...TASK, target }));

const contextOf = (flags: Record<string, unknown>): Context => ({
  settings: {
    ...kubernetes.settingsOf({ namespace: 'bench', image: 'registry/pi-bench:1', ...flags }),
    piBench: null,
  },
  folder: '/f',
  label: 'pi-bench-aaaaaa',
});

const FULL = contextOf({
  nodes: '3',
  selector: 'pool=gpu',
  limits: 'nvidia.com/gpu=8,cpu=64',
  tolerate: 'fresh:NoSchedule,role=bench',
  time: '30min',
  nodelist: 'a,b,c',
});

describe('the manifest of a submission', () => {
  it('is a job with an index for each node, of which no two share a node and none is tried again behind our back', () => {
    const { spec } = jobManifest(FULL, TASKS);
    expect(spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 0,
    });
    expect(spec?.template.spec?.restartPolicy).toBe('Never');
    const apart =
      spec?.template.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.[0];
    expect(apart?.topologyKey).toBe('kubernetes.io/hostname');
    expect(apart?.labelSelector?.matchLabels).toMatchObject({ 'pi-bench/submission': 'pi-bench-aaaaaa' });
    expect(spec?.template.metadata?.labels).toMatchObject({ 'pi-bench/submission': 'pi-bench-aaaaaa' });
  });

  it('tells its pods what they are to run, and which target each is', () => {
    const container = jobManifest(FULL, TASKS.slice(1)).spec?.template.spec?.containers[0];
    const [program, command, text = ''] = container?.command ?? [];
    expect([program, command]).toEqual(['pi-bench', 'on-node']);
    expect(parseTask(text)).toMatchObject({ command: TASK.command, targets: ['1', '2'] });
    expect(container?.resources?.limits).toEqual({ 'nvidia.com/gpu': '8', cpu: '64' });
    expect(container?.securityContext).toMatchObject({ allowPrivilegeEscalation: false });
  });

  it('has every dollar twice, of which Kubernetes makes one: none begins a variable', () => {
    const command = ['matmul', '--labels', 'a=$(PI_BENCH_NODE),b=$$5,c=$HOME'];
    const task = { ...TASK, command, files: { 'own.yaml': 'price: 5$' } };
    const { command: words = [] } = jobManifest(FULL, [task]).spec?.template.spec?.containers[0] ?? {};
    expect(words.join('').match(/\$+/g)).toEqual(['$$', '$$$$', '$$', '$$']);
    expect(words.slice(1).map((word) => word.replaceAll('$$', () => '$'))).toEqual(
      taskArguments({ ...task, targets: [task.target] }),
    );
  });

  it('without an image, or with flags that are none, is one clear line', () => {
    expect(() => kubernetes.settingsOf({ nodes: '1' })).toThrow('say in which image pi-bench is');
    expect(() => contextOf({})).toThrow('say which nodes: --nodes 16 or --nodelist node1,node2');
    expect(() => contextOf({ nodes: '1.5' })).toThrow('--nodes takes a number of nodes; got "1.5"');
    expect(() => contextOf({ nodes: '1', limits: 'gpu' })).toThrow(
      '--limits takes names with values, name=value; got "gpu"',
    );
  });

  it.each([
    ['limits', 'cpu=two'],
    ['limits', 'gpu=8=9'],
    ['limits', 'cpu=-1'],
    ['limits', 'memory=10 Gi'],
    ['selector', 'pool=gpu=3'],
    ['selector', 'po ol=gpu'],
    ['image', 'X X'],
    ['image', ''],
  ])('takes no --%s %s, which would fail on the nodes only', (flag, value) => {
    expect(() => contextOf({ nodes: '1', [flag]: value })).toThrow(`--${flag} takes `);
  });

  it.each([
    ['limits', 'cpu=64,memory=10Gi,nvidia.com/gpu=8,ephemeral-storage=1.5e9,hugepages-2Mi=512Mi'],
    ['limits', 'cpu=500m'],
    ['selector', 'topology.kubernetes.io/zone=eu-1a,pool=gpu_2'],
    ['image', 'registry.site:5000/team/pi-bench:1.0-rc_1'],
    ['image', `pi-bench@sha256:${'0'.repeat(64)}`],
  ])('takes --%s %s', (flag, value) => {
    expect(() => contextOf({ nodes: '1', [flag]: value })).not.toThrow();
  });
});

describe('what Kubernetes says of a pod', () => {
  it.each([
    [{ phase: 'Running' }, { phase: 'running', node: 'n1' }],
    [{ phase: 'Succeeded' }, { phase: 'ended', itself: true }],
    [
      { phase: 'Failed', reason: 'Evicted', message: 'low on memory' },
      { phase: 'ended', reason: 'the pod failed (Evicted: low on memory)' },
    ],
    [
      {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' },
        ],
      },
      { phase: 'waiting', why: 'Unschedulable: 0/3 nodes' },
    ],
    [
      {
        phase: 'Pending',
        containerStatuses: [
          { name: 'pi-bench', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
        ],
      },
      { phase: 'waiting', why: 'ImagePullBackOff: no such image', hopeless: true },
    ],
    [
      {
        phase: 'Failed',
        containerStatuses: [
          { name: 'pi-bench', state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
        ],
      },
      { phase: 'ended', reason: 'the pod failed (OOMKilled: exit code 137)' },
    ],
  ])('%j', (status, expected) => {
    expect(podState({ spec: { nodeName: 'n1', containers: [] }, status } as never, 0)).toMatchObject(
      expected,
    );
  });

  const besides = { name: 'proxy', state: { running: {} } };
  const ended = (exitCode: number) => ({ name: 'pi-bench', state: { terminated: { exitCode } } });
  const proxyFailed = { name: 'proxy', state: { terminated: { exitCode: 1, reason: 'Error' } } };

  it.each([
    [
      'that it runs',
      { phase: 'Running', containerStatuses: [proxyFailed, { name: 'pi-bench', state: { running: {} } }] },
      { phase: 'running' },
    ],
    [
      'its end, while the other goes on',
      { phase: 'Running', containerStatuses: [besides, ended(0)] },
      { phase: 'ended', itself: true },
    ],
    [
      'its failure, while the other goes on',
      { phase: 'Running', containerStatuses: [besides, ended(3)] },
      { phase: 'ended', itself: false, reason: 'the pod failed (exit code 3)' },
    ],
    [
      'its end, although the other failed',
      { phase: 'Failed', containerStatuses: [proxyFailed, ended(0)] },
      { phase: 'ended', itself: true },
    ],
    [
      'why it waits',
      {
        phase: 'Pending',
        containerStatuses: [
          { name: 'proxy', state: { waiting: { reason: 'PodInitializing' } } },
          { name: 'pi-bench', state: { waiting: { reason: 'ErrImagePull' } } },
        ],
      },
      { phase: 'waiting', why: 'ErrImagePull', hopeless: true },
    ],
  ])('with a container beside pi-bench’s is of pi-bench’s: %s', (_, status, expected) => {
    expect(podState({ spec: { nodeName: 'n1', containers: [] }, status } as never, 0)).toMatchObject(
      expected,
    );
  });

  it('whose node died is lost once it was to be gone for a minute, however long its phase says that it runs', () => {
    const until = Date.parse('2026-11-22T00:00:00Z');
    const state = (phase: string, seconds: number) =>
      podState(
        {
          metadata: { deletionTimestamp: '2026-11-22T00:00:00Z' },
          spec: { nodeName: 'n1', containers: [] },
          status: { phase, reason: 'NodeLost' },
        } as never,
        until + seconds * 1000,
      );
    expect(state('Running', 30)).toEqual({ phase: 'running', node: 'n1' });
    for (const phase of ['Running', 'Pending'])
      expect(state(phase, 90)).toEqual({
        phase: 'ended',
        itself: false,
        node: 'n1',
        reason: 'the pod was deleted, and its node does not say that it is gone (NodeLost)',
      });
    expect(state('Succeeded', 90)).toMatchObject({ phase: 'ended', itself: true });
  });
});

describe('what Kubernetes says of an index without a pod', () => {
  const waits = { phase: 'waiting', why: 'its pod is not made yet' };
  const ranges = { completedIndexes: '1,3-5', failedIndexes: '7,9-11' };

  it('is that it waits for one, unless it had one', () => {
    const waiting = Array.from({ length: 13 }, (_, index) => index).filter(
      (index) => podlessState({ status: ranges }, index) !== null,
    );
    expect(waiting).toEqual([0, 2, 6, 8, 12]);
    expect(podlessState({ status: ranges }, 0)).toEqual(waits);
    expect(podlessState({}, 0)).toEqual(waits);
  });

  it('is that it ended with a job that failed, and nothing where the job is being deleted', () => {
    const status = { ...ranges, conditions: [{ type: 'Failed', status: 'True' }] };
    expect(podlessState({ status }, 0)).toMatchObject({ phase: 'ended', reason: 'the job failed' });
    expect(podlessState({ metadata: { deletionTimestamp: '2026-11-22T00:00:00Z' } }, 0)).toBeNull();
  });
});

/** Answers as an API server does, of a cluster whose pods have ended. */
function fakeServer(requests: { method: string; url: string; body: string }[]): Server {
  const result = resultOf('0');
  const labels = {
    'batch.kubernetes.io/job-name': 'pi-bench-aaaaaa-1',
    'batch.kubernetes.io/job-completion-index': '0',
  };
  const pod = {
    metadata: { name: 'pod-0', labels },
    spec: { nodeName: 'n1', containers: [] },
    status: { phase: 'Succeeded' },
  };
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'DeadlineExceeded',
    message: 'it was active longer than its deadline',
  };
  const late = { metadata: { name: 'pi-bench-aaaaaa-1' }, status: { conditions: [failed] } };
  const short = {
    metadata: { name: 'pi-bench-aaaaaa-1' },
    status: { completedIndexes: '2', failedIndexes: '3' },
  };
  const jobsIn = (url: string) => (url.includes('/late/') ? [late] : url.includes('/quota/') ? [short] : []);
  const answer = (url: string, method: string, body: string): [number, unknown] => {
    if (url.startsWith('/apis/batch/v1/namespaces/forbidden/'))
      return [
        403,
        { kind: 'Status', message: 'jobs.batch is forbidden: User "u" cannot create resource "jobs"' },
      ];
    if (url.startsWith('/apis/batch/v1/namespaces/overloaded/'))
      return [504, { kind: 'Status', message: 'Timeout: request did not complete within the time' }];
    if (url.includes('/pods/pod-0/log')) {
      const chosen = url.includes('container=pi-bench') || !url.includes('/sidecar/');
      const message = 'a container name must be specified for pod pod-0, choose one of: [proxy pi-bench]';
      return chosen ? [200, result] : [400, { kind: 'Status', message }];
    }
    if (url.includes('/pods'))
      return [200, { kind: 'PodList', apiVersion: 'v1', items: url.includes('/late/') ? [] : [pod] }];
    if (method !== 'POST') return [200, { kind: 'JobList', items: jobsIn(url) }];
    const job = JSON.parse(body) as { spec: { backoffLimitPerIndex?: number } };
    // One that does not know a field takes the job without it.
    if (url.includes('/old/')) delete job.spec.backoffLimitPerIndex;
    return [201, job];
  };
  return createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { url = '', method = '' } = request;
    requests.push({ method, url, body });
    // The job is there, and nobody is told.
    if (method === 'POST' && url.includes('/lost/')) return void response.destroy();
    const [status, document] = answer(url, method, body);
    const isText = typeof document === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? document : JSON.stringify(document));
  });
}

const client = frameworksProject('kubernetes');
const before = { from: process.env[FRAMEWORKS_FROM], config: process.env.KUBECONFIG };

describe('through Kubernetes’ own client', () => {
  const requests: { method: string; url: string; body: string }[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-kube-'));
  const server = fakeServer(requests);

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [
        { name: 'k', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    };
    writeFileSync(join(folder, 'config'), JSON.stringify(config));
    process.env.KUBECONFIG = join(folder, 'config');
    if (client.folder !== null) process.env[FRAMEWORKS_FROM] = client.folder;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
    for (const [name, value] of [
      [FRAMEWORKS_FROM, before.from],
      ['KUBECONFIG', before.config],
    ] as const) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('the manifest has no field that its model does not know', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const entry = join(
      client.folder,
      'node_modules/@kubernetes/client-node/dist/gen/models/ObjectSerializer.js',
    );
    const { ObjectSerializer } = (await import(pathToFileURL(entry).href)) as {
      ObjectSerializer: { serialize(value: unknown, type: string, format: string): unknown };
    };
    const manifest = jobManifest(FULL, TASKS);
    // Whatever the model does not have, it leaves out.
    expect(JSON.parse(JSON.stringify(ObjectSerializer.serialize(manifest, 'V1Job', '')))).toEqual(manifest);
  });

  it('jobs are created, pods are followed, and a result is read from a log', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const context = contextOf({ nodes: '1' });
    const connection = await kubernetes.connect(context);
    const jobs = await connection.submit([TASK]);
    expect(JSON.parse(requests[0]?.body ?? '{}')).toEqual(
      JSON.parse(JSON.stringify(jobManifest(context, [TASK]))),
    );
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/apis/batch/v1/namespaces/bench/jobs' });
    const [job] = jobs;
    if (job === undefined) throw new Error('no job');
    const seen = await connection.observe(jobs, new Map([['0', 1]]));
    expect(seen.get(job.job)).toMatchObject({ phase: 'ended', itself: true, node: 'n1' });
    expect(await connection.output(job, 1)).toContain('PI-BENCH-RESULT end');
  });

  it('a log is that of pi-bench’s container: of a pod with another one beside it the server gives no other', async ({
    skip,
  }) => {
    if (client.folder === null) return skip(client.why);
    const connection = await kubernetes.connect(contextOf({ nodes: '1', namespace: 'sidecar' }));
    const job = { target: '0', job: 'pi-bench-aaaaaa-1/0' };
    expect(await connection.output(job, 1)).toContain('PI-BENCH-RESULT end');
  });

  it('a node that is given up loses its own pod, and no other node its job', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const connection = await kubernetes.connect(contextOf({ nodes: '2' }));
    const earlier = requests.length;
    await connection.cancel({ target: '0', job: 'pi-bench-aaaaaa-1/0' }, 1);
    const deleted = requests.slice(earlier).filter(({ method }) => method === 'DELETE');
    expect(deleted.map(({ url }) => url)).toEqual(['/api/v1/namespaces/bench/pods/pod-0']);
  });

  it('a job whose time was up has no pods, and says why', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const connection = await kubernetes.connect(contextOf({ nodes: '2', namespace: 'late' }));
    const jobs = ['0', '1'].map((target) => ({ target, job: `pi-bench-aaaaaa-1/${target}` }));
    const seen = await connection.observe(jobs, new Map());
    expect([...seen.values()]).toEqual(
      jobs.map(() => ({
        phase: 'ended',
        itself: false,
        node: null,
        reason: 'the job failed (DeadlineExceeded: it was active longer than its deadline)',
      })),
    );
  });

  it('a node whose pod is not made yet waits, and one that is listed as ended does not', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const connection = await kubernetes.connect(contextOf({ nodes: '4', namespace: 'quota' }));
    const jobs = ['0', '1', '2', '3'].map((target) => ({ target, job: `pi-bench-aaaaaa-1/${target}` }));
    const seen = await connection.observe(jobs, new Map());
    expect([...seen]).toEqual([
      ['pi-bench-aaaaaa-1/0', expect.objectContaining({ phase: 'ended' })],
      ['pi-bench-aaaaaa-1/1', { phase: 'waiting', why: 'its pod is not made yet' }],
    ]);
  });

  it('a node whose pod is not made yet cannot be given up alone, and says how it can be: it is tried again', async ({
    skip,
  }) => {
    if (client.folder === null) return skip(client.why);
    const connection = await kubernetes.connect(contextOf({ nodes: '4', namespace: 'quota' }));
    const [podless, gone] = [1, 2].map((index) => ({
      target: `${index}`,
      job: `pi-bench-aaaaaa-1/${index}`,
    }));
    if (podless === undefined || gone === undefined) throw new Error('no jobs');
    await connection.observe([podless, gone], new Map());
    await expect(connection.cancel(podless, 1)).rejects.toThrow(
      'its pod is not made yet and may begin later: kubectl delete job --namespace quota pi-bench-aaaaaa-1 gives up all nodes of that job',
    );
    await expect(connection.cancel(gone, 1)).resolves.toBeUndefined();
  });

  it('a server that does not know Indexed Jobs as they are needed is refused, and keeps nothing', async ({
    skip,
  }) => {
    if (client.folder === null) return skip(client.why);
    const connection = await kubernetes.connect(contextOf({ nodes: '1', namespace: 'old' }));
    await expect(connection.submit([TASK])).rejects.toThrow(
      'this Kubernetes leaves backoffLimitPerIndex out of a job: it is older than 1.29, or has that switched off; nothing is left there',
    );
    expect(requests.at(-1)).toMatchObject({
      method: 'DELETE',
      url: expect.stringContaining('/namespaces/old/jobs/pi-bench-aaaaaa-1') as string,
    });
  });

  it.each([
    ['lost', /^Kubernetes \(http:\/\/127\.0\.0\.1:\d+\) fails: .*socket hang up/],
    ['overloaded', /^Kubernetes \(http:\/\/127\.0\.0\.1:\d+\) fails: Timeout: request did not complete/],
  ])('an answer that is %s is no refusal: the job may be there', async (namespace, words) => {
    if (client.folder === null) return;
    const connection = await kubernetes.connect(contextOf({ nodes: '1', namespace }));
    const submitted = connection.submit([TASK]);
    await expect(submitted).rejects.toThrow(words);
    await expect(submitted).rejects.toBeInstanceOf(NoAnswer);
  });

  it('a server that is not reached was asked for nothing', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const config = readFileSync(join(folder, 'config'), 'utf8');
    writeFileSync(join(folder, 'config'), config.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9'));
    try {
      const connection = await kubernetes.connect(contextOf({ nodes: '1' }));
      const submitted = connection.submit([TASK]);
      await expect(submitted).rejects.toThrow(/refuses: .*ECONNREFUSED/);
      await expect(submitted).rejects.not.toBeInstanceOf(NoAnswer);
    } finally {
      writeFileSync(join(folder, 'config'), config);
    }
  });

  it('a login that fails is said before anything is asked', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const config = readFileSync(join(folder, 'config'), 'utf8');
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', 'echo "token expired" >&2; exit 1'],
    };
    const users = [{ name: 'u', user: { exec } }];
    writeFileSync(join(folder, 'config'), JSON.stringify({ ...(JSON.parse(config) as object), users }));
    try {
      await expect(kubernetes.connect(contextOf({ nodes: '1' }))).rejects.toThrow(
        /^cannot log in to Kubernetes \(http:\/\/127\.0\.0\.1:\d+\): token expired$/,
      );
    } finally {
      writeFileSync(join(folder, 'config'), config);
    }
  });

  it.each([
    ['CERT_HAS_EXPIRED', true],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', true],
    ['SELF_SIGNED_CERT_IN_CHAIN', true],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true],
    ['ERR_TLS_CERT_ALTNAME_INVALID', true],
    ['ECONNRESET', false],
    ['ETIMEDOUT', false],
  ])('whether a server that cannot be talked to (%s) was certainly asked for nothing: %s', (code, certain) => {
    expect(isRefusal(Object.assign(new Error(code), { code }))).toBe(certain);
  });

  it('a refusal is one line with the server’s own words', async ({ skip }) => {
    if (client.folder === null) return skip(client.why);
    const connection = await kubernetes.connect(contextOf({ nodes: '1', namespace: 'forbidden' }));
    await expect(connection.submit([TASK])).rejects.toThrow(
      /^Kubernetes \(http:\/\/127\.0\.0\.1:\d+\) refuses: jobs\.batch is forbidden: User "u" cannot create resource "jobs"$/,
    );
  });
});

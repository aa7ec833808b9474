// Nodes of a cluster that are none: what a scheduler and a kubelet do to pods, as far as a submission sees it. A pod's command is run on
// this machine, with the environment that its manifest describes; its log is given to the API server, which asks a node for it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../lib/tree.mjs';

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
const LOOK_MS = 300;
const TRIES = 5;
/** Of the first attempt: the pod of this index is evicted. */
const EVICTED = { index: '1', attempt: 1 };

/** A certificate that nobody trusts: API servers do not look at those of nodes unless they are told to. */
function certificate() {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-certificate-'));
  try {
    const [key, cert] = ['key', 'cert'].map((name) => join(folder, name));
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=pi-bench'];
    const { status, error, stderr } = spawnSync('openssl', [...args, '-keyout', key, '-out', cert]);
    if (status !== 0) throw new Error(`openssl makes no certificate: ${error?.message ?? stderr}`);
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Others write to the same object: a conflict is tried again. */
async function insisting(write) {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (error.code !== 409 || tries === TRIES) throw error;
      await sleep(LOOK_MS);
    }
  }
}

/** What a manifest means by a field of the pod. */
function fieldOf({ metadata }, node, path) {
  const [, annotation] = /^metadata\.annotations\['(.+)'\]$/.exec(path) ?? [];
  return annotation === undefined
    ? path === 'spec.nodeName'
      ? node
      : ''
    : (metadata.annotations?.[annotation] ?? '');
}

/** The task in a pod's command, of which a kubelet takes two dollars for one. */
const taskOf = (pod) => JSON.parse(pod.spec.containers[0].command[2].replaceAll('$$', () => '$'));

/** Runs the command of a pod, to which the submission's folder is not there. */
function runPod(pod, node) {
  const [{ command, env = [] }] = pod.spec.containers;
  const [, word] = command;
  const hidden = JSON.stringify({ ...taskOf(pod), folder: '/nonexistent', cwd: '/nonexistent' });
  const own = env.map(({ name, value, valueFrom }) => [
    name,
    value ?? fieldOf(pod, node, valueFrom?.fieldRef?.fieldPath ?? ''),
  ]);
  const child = spawn(process.execPath, [LAUNCHER, word, hidden], {
    env: { ...process.env, ...Object.fromEntries(own) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      log += text;
    });
  return new Promise((done) => child.on('close', (code) => done({ code: code ?? 137, log })));
}

/** @param address by which the API server reaches this machine */
export async function playNodes(core, namespace, address, count) {
  const logs = new Map();
  const kubelet = createServer(certificate(), ({ url }, response) => {
    const [, what, of, pod] = new URL(url, 'https://node').pathname.split('/');
    const log = what === 'containerLogs' ? logs.get(`${of}/${pod}`) : undefined;
    response.writeHead(log === undefined ? 404 : 200, { 'content-type': 'text/plain' });
    response.end(log ?? 'there is no such container');
  });
  await once(kubelet.listen(0, address), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (kubelet.address());
  const names = Array.from({ length: count }, (_, i) => `${namespace}-n${i + 1}`);
  for (const name of names) {
    await core.createNode({ body: { metadata: { name, labels: { 'kubernetes.io/hostname': name } } } });
    await insisting(async () => {
      const { items } = await core.listNode({ fieldSelector: `metadata.name=${name}` });
      const status = {
        addresses: [{ type: 'InternalIP', address }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      };
      await core.replaceNodeStatus({ name, body: { ...items[0], status } });
    });
  }

  const setStatus = (name, status) =>
    insisting(async () => {
      const pod = await core.readNamespacedPod({ name, namespace });
      await core.replaceNamespacedPodStatus({
        name,
        namespace,
        body: { ...pod, status: { ...pod.status, ...status } },
      });
    });
  const container = (state) => [
    { name: 'pi-bench', image: 'pi-bench', imageID: '', ready: false, restartCount: 0, state },
  ];

  async function host(pod, node) {
    const { name } = pod.metadata;
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    await core.createNamespacedPodBinding({ name, namespace, body: { metadata: { name }, target } });
    const task = taskOf(pod);
    const index = pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'];
    if (index === EVICTED.index && task.attempt === EVICTED.attempt) {
      await setStatus(name, { phase: 'Failed', reason: 'Evicted', message: 'as the check wants it' });
      return;
    }
    await setStatus(name, {
      phase: 'Running',
      containerStatuses: container({ running: { startedAt: new Date() } }),
    });
    const { code, log } = await runPod(pod, node);
    logs.set(`${namespace}/${name}`, log);
    const terminated = { exitCode: code, reason: code === 0 ? 'Completed' : 'Error', finishedAt: new Date() };
    await setStatus(name, {
      phase: code === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: container({ terminated }),
    });
  }

  const taken = new Set();
  const hosted = [];
  let failure = null;
  let stopped = false;
  let seen = () => {};
  /** @type {Promise<void>} */
  const firstPod = new Promise((done) => {
    seen = done;
  });
  async function watch() {
    while (!stopped && failure === null) {
      const { items } = await core.listNamespacedPod({ namespace });
      for (const pod of items) {
        if (pod.spec.nodeName !== undefined || taken.has(pod.metadata.name)) continue;
        const node = names[taken.size % names.length];
        taken.add(pod.metadata.name);
        seen();
        hosted.push(
          host(pod, node).catch((error) => {
            failure ??= error;
          }),
        );
      }
      await sleep(LOOK_MS);
    }
    await Promise.all(hosted);
    if (failure !== null) throw failure;
  }
  const watching = watch();
  // It is awaited at the end; until then a failure must not end the process without a word.
  watching.catch(() => {});

  return {
    firstPod,
    /** Ends when it is stopped; fails as soon as one of them does. */
    watching,
    async stop() {
      stopped = true;
      try {
        await watching;
      } finally {
        for (const name of names) await core.deleteNode({ name });
        kubelet.close();
      }
    },
  };
}

// npm run check:kubernetes -- --kubeconfig FILE [--context NAME] [--image IMAGE] [--address IP] | --binaries DIR: takes submissions to
// a real API server. A cluster with nodes of its own runs them by --image, in which this pi-bench has to be. A server without nodes
// (one that was built, or started for tests) gets nodes that this script plays: it binds pods, runs their command here, gives their logs,
// and evicts one in its first attempt. They have to be reached by the server, at --address. Without --kubeconfig a server is started from
// etcd, kube-apiserver and kube-controller-manager in --binaries, or in PATH. All is done in a namespace of its own, which is deleted.
// A server older than 1.29 has no Indexed Jobs as they are needed: that it is refused, and keeps nothing, is then all that is checked.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from './check-kubernetes/cluster.mjs';
import { playNodes } from './check-kubernetes/nodes.mjs';
import { findBinaries, PROGRAMS, startServer } from './check-kubernetes/server.mjs';
import { packageRoot } from './lib/tree.mjs';

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
const NODES = 3;
const OLDEST = 29;
const COMMAND = [
  ...['matmul', '--size', '64', '--reps', '50', '--inspections', '1'],
  ...['--threads', '1', '--warmup', '1'],
];

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    context: { type: 'string' },
    image: { type: 'string' },
    address: { type: 'string', default: '127.0.0.1' },
    binaries: { type: 'string' },
  },
});

let checks = 0;
let wrong = 0;
function check(right, what) {
  checks++;
  if (!right) wrong++;
  console.log(`${right ? 'ok' : 'not ok'} - ${what}`);
}

/** Ends with one line for a person. */
class Refusal extends Error {}

/** The project that has Kubernetes' client. */
function clientFolder() {
  const script = join(packageRoot, 'scripts', 'test-frameworks.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'kubernetes'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Refusal(stderr.trim());
  return stdout.trim();
}

function startPiBench(args, env) {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  process.on('exit', () => child.kill('SIGKILL'));
  const ended = new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
  return { child, ended };
}

const submit = (out, namespace, image, ...more) => [
  ...['submit', 'kubernetes', '--json', '--out', out, '--namespace', namespace, '--image', image],
  ...(values.context === undefined ? [] : ['--context', values.context]),
  ...more,
  ...COMMAND,
];

/** What nodes of a submission came to. */
function judge({ code, stdout, stderr }, folder) {
  const nodes = stdout === '' ? [] : JSON.parse(stdout).nodes;
  check(
    nodes.length === NODES,
    `${nodes.length} of ${NODES} nodes are told of${stdout === '' ? `: ${stderr}` : ''}`,
  );
  for (const { target, node, status, reason, record } of nodes) {
    const brought = record !== null && existsSync(join(folder, record));
    check(
      status === 'done' && brought,
      `target ${target} on ${node}: ${status}${reason === null ? '' : `, ${reason}`}`,
    );
  }
  check(new Set(nodes.map(({ node }) => node)).size === nodes.length, 'each had a node of its own');
  check(code === 0, `exit code ${code}`);
  return nodes;
}

/** Killed as soon as there is a pod, gone on with, and one pod evicted on the way. */
async function followed(core, namespace, env, out) {
  const nodes = await playNodes(core, namespace, values.address, NODES + 1);
  try {
    const running = startPiBench(
      submit(out, namespace, 'pi-bench-check', '--nodes', `${NODES}`, '--retries', '1'),
      env,
    );
    await Promise.race([nodes.firstPod, running.ended, nodes.watching]);
    running.child.kill('SIGKILL');
    const first = await running.ended;
    const [name] = existsSync(out) ? readdirSync(out) : [];
    check(
      name !== undefined,
      `a killed submission can be gone on with${name === undefined ? `: ${first.stderr}` : ''}`,
    );
    if (name === undefined) return;
    const folder = join(out, name);
    const resumed = startPiBench(['resume', folder, '--json'], env);
    const told = judge(await Promise.race([resumed.ended, nodes.watching]), folder);
    const reasons = told.flatMap(({ lostAttempts }) => lostAttempts.map(({ reason }) => reason));
    check(reasons.length === 1 && /Evicted/.test(reasons[0]), `one attempt was lost: ${reasons.join('; ')}`);
  } finally {
    await nodes.stop();
  }
}

/** By nodes of the cluster's own. */
async function run(namespace, image, env, out) {
  const ended = await startPiBench(submit(out, namespace, image, '--nodes', `${NODES}`), env).ended;
  const [name = ''] = existsSync(out) ? readdirSync(out) : [];
  judge(ended, join(out, name));
}

async function refusals(batch, namespace, env, out, old) {
  const nowhere = `${namespace}-nowhere`;
  const absent = await startPiBench(submit(out, nowhere, 'pi-bench-check', '--nodes', '1'), env).ended;
  const said = absent.stderr.trim();
  check(
    absent.code === 64 && /refuses: .*not found/.test(said) && !said.includes('\n'),
    `no such namespace: ${said}`,
  );
  if (!old) return;
  const refused = await startPiBench(submit(out, namespace, 'pi-bench-check', '--nodes', '1'), env).ended;
  check(
    refused.code === 64 && /it is older than 1\.29/.test(refused.stderr),
    `too old: ${refused.stderr.trim()}`,
  );
  const { items } = await batch.listNamespacedJob({ namespace });
  check(
    items.every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    'no job is left there',
  );
}

async function main() {
  const binaries = values.kubeconfig === undefined ? findBinaries(values.binaries) : null;
  if (values.kubeconfig === undefined && binaries === null)
    throw new Refusal(
      `there is no API server: give --kubeconfig FILE, or --binaries DIR with ${PROGRAMS.join(', ')}; nothing was checked`,
    );
  const folder = clientFolder();
  const scratch = mkdtempSync(join(tmpdir(), 'pi-bench-kubernetes-'));
  const server = binaries === null ? null : await startServer(binaries, join(scratch, 'server'));
  try {
    const kubeconfig = server?.kubeconfig ?? values.kubeconfig;
    const { core, batch, version } = await connect(folder, kubeconfig, values.context);
    const { items } = await core.listNode();
    if (items.length > 0 && values.image === undefined)
      throw new Refusal(
        `this cluster has nodes of its own (${items.length}): give --image, in which this pi-bench is`,
      );
    const namespace = `pi-bench-check-${process.pid}`;
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    try {
      // Where no controller does so.
      await core
        .createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'default' } } })
        .catch(() => {});
      const env = { ...process.env, KUBECONFIG: kubeconfig, PI_BENCH_FRAMEWORKS_FROM: folder };
      const old = version.major === 1 && version.minor < OLDEST;
      await refusals(batch, namespace, env, join(scratch, 'refused'), old);
      const out = join(scratch, 'results');
      if (old)
        console.log(`not checked: Kubernetes ${version.text} has no Indexed Jobs as they are needed (1.29)`);
      else if (values.image !== undefined) await run(namespace, values.image, env, out);
      else await followed(core, namespace, env, out);
      console.log(
        `check:kubernetes: ${version.text}, ${checks} checks, ${wrong === 0 ? 'all right' : `${wrong} WRONG`}`,
      );
    } finally {
      await core.deleteNamespace({ name: namespace });
    }
  } finally {
    server?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

try {
  await main();
  if (wrong > 0) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`check:kubernetes: ${error.message}`);
  process.exitCode = 1;
}

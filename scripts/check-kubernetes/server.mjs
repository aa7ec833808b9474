// An API server of one's own, on loopback and in a temporary folder: etcd, kube-apiserver and the controllers that jobs need. Nodes there
// are none. It ends with this process.
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager'];
const READY_MS = 60_000;

/** Where each of them is; null: one is missing. */
export function findBinaries(folder) {
  const places = folder === undefined ? (process.env.PATH ?? '').split(delimiter) : [folder];
  const found = PROGRAMS.map((name) =>
    places.map((place) => join(place, name)).find((path) => existsSync(path)),
  );
  return found.includes(undefined) ? null : Object.fromEntries(PROGRAMS.map((name, i) => [name, found[i]]));
}

async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return server;
    }),
  );
  const ports = servers.map(
    (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port,
  );
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** Status of GET /readyz; 0 where nobody answers. */
const readiness = (port, token) =>
  new Promise((done) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(
      { host: '127.0.0.1', port, path: '/readyz', headers, rejectUnauthorized: false, timeout: 2000 },
      (response) => {
        response.resume();
        done(response.statusCode);
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done(0));
    asked.end();
  });

/** @throws Error with the last words of a program that ends */
export async function startServer(binaries, folder) {
  mkdirSync(folder, { recursive: true });
  const at = (name) => join(folder, name);
  const [client, peer, port] = await freePorts(3);
  const token = randomBytes(16).toString('hex');
  writeFileSync(at('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('accounts.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'check',
    clusters: [
      { name: 'check', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
    ],
    users: [{ name: 'check', user: { token } }],
    contexts: [{ name: 'check', context: { cluster: 'check', user: 'check' } }],
  };
  writeFileSync(at('kubeconfig'), JSON.stringify(config), { mode: 0o600 });

  const children = [];
  const stop = () => {
    for (const { child } of children) child.kill('SIGKILL');
  };
  process.on('exit', stop);
  const start = (name, ...flags) => {
    const log = openSync(at(`${name}.log`), 'w');
    children.push({
      name,
      child: spawn(binaries[name], flags, { stdio: ['ignore', log, log], cwd: folder }),
    });
  };
  const etcd = `http://127.0.0.1:${client}`;
  const peers = `http://127.0.0.1:${peer}`;
  start(
    'etcd',
    ...[`--data-dir=${at('etcd')}`, `--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`],
    ...[`--listen-peer-urls=${peers}`, `--initial-advertise-peer-urls=${peers}`],
    `--initial-cluster=default=${peers}`,
  );
  start(
    'kube-apiserver',
    ...[`--etcd-servers=${etcd}`, '--bind-address=127.0.0.1', '--advertise-address=127.0.0.1'],
    ...[
      `--secure-port=${port}`,
      `--cert-dir=${at('certificates')}`,
      '--service-cluster-ip-range=10.96.0.0/24',
    ],
    ...[`--token-auth-file=${at('tokens.csv')}`, '--authorization-mode=AlwaysAllow'],
    ...['--service-account-issuer=pi-bench', `--service-account-key-file=${at('accounts.key')}`],
    ...[
      `--service-account-signing-key-file=${at('accounts.key')}`,
      '--disable-admission-plugins=ServiceAccount',
    ],
  );
  for (const end = Date.now() + READY_MS; (await readiness(port, token)) !== 200; await sleep(200)) {
    const gone = children.find(({ child }) => child.exitCode !== null);
    if (gone === undefined && Date.now() < end) continue;
    stop();
    const { name } = gone ?? { name: 'kube-apiserver' };
    const words = readFileSync(at(`${name}.log`), 'utf8')
      .trim()
      .split('\n')
      .slice(-5)
      .join('\n');
    throw new Error(`${name} ${gone === undefined ? 'does not become ready' : 'ended'}: ${words}`);
  }
  start(
    'kube-controller-manager',
    ...[`--kubeconfig=${at('kubeconfig')}`, '--controllers=job,namespace,garbagecollector'],
    ...['--leader-elect=false', '--secure-port=0', `--cert-dir=${at('certificates')}`],
  );
  return { kubeconfig: at('kubeconfig'), stop };
}

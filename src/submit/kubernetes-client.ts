/** Kubernetes' client, as far as it is used: an npm package that a user installs who wants this. The edge to the cluster. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { messageOf, systemCode, UserError } from '../errors.js';
import { findPackages } from '../frameworks/packages.js';
import { CONTAINER } from './kubernetes-manifest.js';
import { NoAnswer } from './no-answer.js';

const PACKAGE = '@kubernetes/client-node';

interface Batch {
  createNamespacedJob(asked: { namespace: string; body: Job }): Promise<Job>;
  deleteNamespacedJob(asked: {
    namespace: string;
    name: string;
    propagationPolicy: string;
  }): Promise<unknown>;
  listNamespacedJob(asked: { namespace: string; labelSelector: string }): Promise<{ items: readonly Job[] }>;
}

interface Core {
  listNamespacedPod(asked: { namespace: string; labelSelector: string }): Promise<{ items: readonly Pod[] }>;
  readNamespacedPodLog(asked: { namespace: string; name: string; container: string }): Promise<string>;
  deleteNamespacedPod(asked: { namespace: string; name: string }): Promise<unknown>;
}

interface Library {
  KubeConfig: new () => {
    loadFromDefault(): void;
    setCurrentContext(name: string): void;
    getCurrentCluster(): { readonly server: string } | null;
    applyToHTTPSOptions(options: object): Promise<void>;
    makeApiClient<T>(api: new (configuration: never) => T): T;
  };
  BatchV1Api: new (configuration: never) => Batch;
  CoreV1Api: new (configuration: never) => Core;
}

export interface Cluster {
  /** @returns the job as the server took it, without what it does not know */
  create(job: Job): Promise<Job>;
  jobs(labelSelector: string): Promise<readonly Job[]>;
  pods(labelSelector: string): Promise<readonly Pod[]>;
  /** What pi-bench's container printed. */
  log(pod: string): Promise<string>;
  removeJob(job: string): Promise<void>;
  removePod(pod: string): Promise<void>;
}

/** The server's own words: its answers are documents of which `message` is for people. */
function clusterWords(error: unknown): string {
  const body = error !== null && typeof error === 'object' && 'body' in error ? error.body : undefined;
  try {
    const status = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: unknown } | undefined;
    if (typeof status?.message === 'string') return status.message;
  } catch {
    // Not one of its documents.
  }
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  return `${messageOf(error).split('\n')[0]}${cause}`;
}

/** No server was reached, so that none was asked. */
const UNREACHED: readonly string[] = [
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
];
/** So was none with which there is no safe connection: its certificate is not trusted, has expired, or is another's. */
const UNTRUSTED = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_)|SELF_SIGNED_CERT/;
/** From this status on a server, or what stands before it, failed at what it may have done all the same. */
const SERVER_FAILED = 500;

/** Whether it is certain that what was asked for was not done. */
export function isRefusal(error: unknown): boolean {
  const status = error !== null && typeof error === 'object' && 'code' in error ? error.code : null;
  if (typeof status === 'number') return status < SERVER_FAILED;
  const code = systemCode(error) ?? '';
  return UNREACHED.includes(code) || UNTRUSTED.test(code);
}

async function load(): Promise<Library> {
  const found = findPackages([PACKAGE]);
  if ('missing' in found)
    throw new UserError(`Kubernetes needs a package that is not here: npm install ${PACKAGE}@1.4.0`);
  const folder = found.folder(PACKAGE);
  const entry = createRequire(join(folder, 'package.json')).resolve(PACKAGE);
  return (await import(pathToFileURL(entry).href)) as Library;
}

/** @param context of the kubeconfig; null: its current one. @throws UserError where there is no cluster to be asked */
export async function openCluster(namespace: string, context: string | null): Promise<Cluster> {
  const library = await load();
  const config = new library.KubeConfig();
  config.loadFromDefault();
  if (context !== null) config.setCurrentContext(context);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined)
    throw new UserError(`the kubeconfig has no cluster${context === null ? '' : ` for context ${context}`}`);
  try {
    // A program that logs in and fails later would look like a server that does not answer.
    await config.applyToHTTPSOptions({});
  } catch (error) {
    throw new UserError(`cannot log in to Kubernetes (${server}): ${clusterWords(error)}`);
  }
  const batch = config.makeApiClient(library.BatchV1Api);
  const core = config.makeApiClient(library.CoreV1Api);
  const asking = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      const words = clusterWords(error);
      throw isRefusal(error)
        ? new UserError(`Kubernetes (${server}) refuses: ${words}`)
        : new NoAnswer(`Kubernetes (${server}) fails: ${words}`);
    }
  };
  return {
    create: (job) => asking(batch.createNamespacedJob({ namespace, body: job })),
    jobs: async (labelSelector) =>
      (await asking(batch.listNamespacedJob({ namespace, labelSelector }))).items,
    pods: async (labelSelector) => (await asking(core.listNamespacedPod({ namespace, labelSelector }))).items,
    log: (name) => asking(core.readNamespacedPodLog({ namespace, name, container: CONTAINER })),
    async removePod(name) {
      await asking(core.deleteNamespacedPod({ namespace, name }));
    },
    async removeJob(name) {
      await asking(batch.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Background' }));
    },
  };
}

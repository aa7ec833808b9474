// Kubernetes' own client for check:kubernetes, beside that of pi-bench itself.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @param folder of the project in whose node_modules the client is */
export async function connect(folder, kubeconfig, context) {
  const entry = createRequire(join(folder, 'package.json')).resolve('@kubernetes/client-node');
  const library = await import(pathToFileURL(entry).href);
  const config = new library.KubeConfig();
  config.loadFromFile(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  const { major, minor, gitVersion } = await config.makeApiClient(library.VersionApi).getCode();
  return {
    core: config.makeApiClient(library.CoreV1Api),
    batch: config.makeApiClient(library.BatchV1Api),
    version: { major: Number.parseInt(major, 10), minor: Number.parseInt(minor, 10), text: gitVersion },
  };
}

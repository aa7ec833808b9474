/** Requests as Kubernetes writes them. Pure. */
import { parseBytes } from '../../quantities/parse.js';
import type { Bytes } from '../../units.js';

/** `2`, `"500m"`: CPUs' worth of time; null: neither. */
export function parseCpus(value: unknown): number | null {
  const [, number = '', milli = ''] = /^(\d+(?:\.\d+)?)(m?)$/.exec(String(value)) ?? [];
  const cpus = Number(number) / (milli === 'm' ? 1000 : 1);
  return number !== '' && cpus > 0 ? cpus : null;
}

/** `4Gi`, `512M`, a number of bytes; null: something else. */
export function parseMemory(value: unknown): Bytes | null {
  return parseBytes(`${String(value).replace(/^(\d+(?:\.\d+)?)k$/, '$1K')}B`);
}

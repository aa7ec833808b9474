/** A Pushgateway: its address, who pushes, and the group of metrics that a push replaces. The edge to the network. */
import { hostname } from 'node:os';
import { UserError } from '../../errors.js';
import type { Judged } from '../../qualify/formats/index.js';
import { prom } from '../../qualify/formats/prometheus.js';
import type { Qualification } from '../../record/schema.js';

/** `user:password`, where the address has none: a command line can be read by others, and is kept. */
export const PUSH_CREDENTIALS = 'PI_BENCH_PUSH_CREDENTIALS';

export interface Gateway {
  /** Without credentials, as it may be kept and said. */
  readonly address: string;
  /** `user:password` of the address as it was given; null: it had none. */
  readonly credentials: string | null;
}

const PUSH_LIMIT_MS = 10_000;

/** What stands before the last @ may be a password. */
const sayable = (text: string): string => text.replace(/^.*@/s, '***@');

function credentialsIn({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw new UserError('--push has a user or a password with a % that escapes nothing: write it as %25');
  }
}

/** @throws UserError for what is no address of a Pushgateway */
export function pushAddress(text: string): Gateway {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UserError(
      `--push takes the address of a Pushgateway, such as http://gateway:9091; got "${sayable(text)}"`,
    );
  }
  if (!/^https?:$/.test(url.protocol))
    throw new UserError(`--push takes an address with http or https; got "${sayable(text)}"`);
  // The path of the group goes behind the address, where a query or a fragment would swallow it.
  if (url.search !== '' || url.hash !== '')
    throw new UserError(
      `--push takes an address without ? and #, which a Pushgateway does not have; got "${sayable(text)}"`,
    );
  const address = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return { address, credentials: credentialsIn(url) };
}

/** The words of a command as they may be kept: with the address alone where credentials were given. */
export const withoutCredentials = (
  words: readonly string[],
  given: string | null,
  gateway: Gateway | null,
): readonly string[] =>
  given === null || gateway === null || gateway.credentials === null
    ? words
    : words.map((word) => word.replaceAll(given, () => gateway.address));

/** What stands in a path as it is: a slash would end it there, and dots alone lead out of it. */
const PLAIN = /^[\w-][\w.-]*$/;

/** In base64, `=` is an empty value. */
const keyOf = ([name, value]: readonly [string, string]): string =>
  PLAIN.test(value)
    ? `${name}/${value}`
    : `${name}@base64/${Buffer.from(value).toString('base64url') || '='}`;

/**
 * A push replaces its whole group. So each suite has one of its own, as a look must not replace the verdict of a longer suite, and each
 * machine, as clones of one image may share a host name. A machine without an identity has its host name alone.
 */
export function groupPath({ identity, suite }: Pick<Qualification, 'identity' | 'suite'>): string {
  const key: readonly (readonly [string, string])[] = [
    ['job', 'pi_bench'],
    ['instance', identity.hostname ?? hostname()],
    ...(identity.machine === null ? [] : [['machine', identity.machine] as const]),
    ['suite', suite.name],
  ];
  return `metrics/${key.map(keyOf).join('/')}`;
}

/**
 * Replaces what this machine pushed of this suite before.
 * @throws Error where the gateway does not take it
 */
export async function push(record: Judged, gateway: Gateway): Promise<void> {
  const credentials = gateway.credentials ?? process.env[PUSH_CREDENTIALS];
  const response = await fetch(`${gateway.address}/${groupPath(record.qualification)}`, {
    method: 'PUT',
    headers: {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      ...(credentials ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {}),
    },
    body: await prom.text(record, ''),
    signal: AbortSignal.timeout(PUSH_LIMIT_MS),
  });
  if (response.ok) return;
  const said = `${response.status} ${(await response.text()).trim().slice(0, 200)}`.trim();
  throw new Error(response.status === 401 ? `${said} (set ${PUSH_CREDENTIALS} to user:password)` : said);
}

/** Where a push goes, who it says that it is from, and what of that is kept. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  groupPath,
  PUSH_CREDENTIALS,
  push,
  pushAddress,
  withoutCredentials,
} from '../../src/cli/qualification/gateway.js';
import type { Judged } from '../../src/qualify/formats/index.js';
import { qualificationOf } from '../../src/qualify/qualification.js';
import { parseSuite } from '../../src/qualify/suite.js';
import { partsRecord } from '../qualify/support.js';
import { machineOf } from '../support/machine.js';

const qualificationAs = (hostname: string | null, machine: string | null, suite = 't1') => ({
  identity: { hostname, machine, devices: [] },
  suite: { name: suite, tier: null, file: null, sha256: '' },
});

function judged(): Judged {
  const qualification = qualificationOf({
    suite: parseSuite('name: site\nchecks: []\n', 'site.yaml', () => ''),
    machine: machineOf(),
    expected: {},
    baseline: null,
    startedAt: '2026-11-21T10:00:00.000Z',
    endedAt: '2026-11-21T10:01:00.000Z',
    wall: 60,
    judged: [],
    attempts: [],
    interrupted: false,
    notJudged: [],
  });
  return { ...partsRecord([]), qualification };
}

describe('the group that a push replaces', () => {
  it.each([
    ['n1', 'f00', 't1', 'metrics/job/pi_bench/instance/n1/machine/f00/suite/t1'],
    ['n1', 'f00', 't0', 'metrics/job/pi_bench/instance/n1/machine/f00/suite/t0'],
    ['n1', null, 't1', 'metrics/job/pi_bench/instance/n1/suite/t1'],
    ['a/b', 'f00', 't1', 'metrics/job/pi_bench/instance@base64/YS9i/machine/f00/suite/t1'],
    ['..', 'f00', 't1', 'metrics/job/pi_bench/instance@base64/Li4/machine/f00/suite/t1'],
    ['', 'f00', 't1', 'metrics/job/pi_bench/instance@base64/=/machine/f00/suite/t1'],
  ])('of host %j, machine %j and suite %s is %s', (hostname, machine, suite, expected) => {
    expect(groupPath(qualificationAs(hostname, machine, suite))).toBe(expected);
    expect(new URL(`http://gateway/${expected}`).pathname).toBe(`/${expected}`);
  });
});

describe('the address of a gateway', () => {
  it.each([
    ['http://gateway:9091', 'http://gateway:9091', null],
    ['https://gateway/below//', 'https://gateway/below', null],
    ['https://user:p%40ss@gateway/', 'https://gateway', 'user:p@ss'],
    ['https://user@gateway', 'https://gateway', 'user:'],
  ])('%s is %s, with the credentials %s', (text, address, credentials) => {
    expect(pushAddress(text)).toEqual({ address, credentials });
  });

  it.each([
    ['http://gateway/?a=b', /without \? and #/],
    ['http://gateway/#a', /without \? and #/],
    ['http://user:secret@gateway/?a=b', /got "\*\*\*@gateway\/\?a=b"/],
    ['ftp://user:secret@gateway', /http or https; got "\*\*\*@gateway"/],
    ['http://user:secret/of@gateway:port', /address of a Pushgateway.* got "\*\*\*@gateway:port"/],
    ['http://user:sec%zzret@gateway', /write it as %25/],
    ['gateway', /got "gateway"/],
  ])('cannot be %s, and no message has a password', (text, says) => {
    const parse = () => pushAddress(text);
    expect(parse).toThrow(says);
    expect(parse).not.toThrow(/sec/);
  });

  it('is all that is kept of a command with credentials, however they were given', () => {
    const given = 'https://user:secret@gateway/';
    const gateway = pushAddress(given);
    const kept = ['https://gateway', '--push=https://gateway'];
    expect(withoutCredentials([given, `--push=${given}`], given, gateway)).toEqual(kept);
    expect(withoutCredentials(['--tier', 't0'], null, null)).toEqual(['--tier', 't0']);
    const plain = 'http://gateway/';
    expect(withoutCredentials([plain], plain, pushAddress(plain))).toEqual([plain]);
  });
});

describe('a push', () => {
  afterEach(() => vi.unstubAllEnvs());

  /** What a gateway is asked for with these credentials in its address. */
  async function asked(credentials: string, status = 200): Promise<IncomingMessage> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = once(server, 'request').then(([message, response]) => {
      response.writeHead(status).end('who is it?');
      return message as IncomingMessage;
    });
    try {
      const { port } = server.address() as AddressInfo;
      await push(judged(), pushAddress(`http://${credentials}127.0.0.1:${port}/below/`));
      return await request;
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  it('goes below the address, to its group', async () => {
    const { method, url, headers } = await asked('');
    expect([method, url]).toEqual(['PUT', `/below/${groupPath(judged().qualification)}`]);
    expect(headers.authorization).toBeUndefined();
  });

  it('says who pushes by a header: of the address, or else of the environment', async () => {
    const header = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    vi.stubEnv(PUSH_CREDENTIALS, 'other:word');
    expect((await asked('')).headers.authorization).toBe(header('other:word'));
    expect((await asked('us%C3%A9r:p%40ss@')).headers.authorization).toBe(header('usér:p@ss'));
  });

  it('that a gateway refuses tells how to say who pushes', async () => {
    await expect(asked('', 401)).rejects.toThrow(/401 who is it\? \(set PI_BENCH_PUSH_CREDENTIALS/);
    await expect(asked('', 400)).rejects.toThrow(/400 who is it\?$/);
  });
});

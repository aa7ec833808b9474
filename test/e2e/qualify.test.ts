import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MachineDescription } from '../../src/machine/types.js';
import { baselineDevice } from '../../src/qualify/baseline-key.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { readRecord } from '../../src/store/read-record.js';
import { baselineEntry, emptyBaseline } from '../qualify/support.js';
import {
  campaignFolder,
  journalOf,
  launcher,
  piBenchEach,
  piBenchIn,
  printedRecord,
  type Run,
  readInspectionFile,
  root,
  start,
  startPiBench,
  until,
  withFolder,
} from '../support/pi-bench.js';

/** With a state folder of its own: the cached verdict of whoever runs the tests is none of theirs. */
const run = (folder: string, ...args: string[]): Promise<Run> =>
  piBenchIn({ cwd: folder, env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') } }, ...args);

const EXITS = { qualified: 0, 'not-qualified': 1, inconclusive: 2 } as const;

const suite = (limit: number): string => `
name: quick
cooldown: 100ms
campaign:
  measure:
    - indicator: matmul
      parameters: { size: 128, threads: 1 }
      duration: 300ms
      inspections: 2
      warmup: 50ms
      labels: { part: small }
checks:
  - { check: correctness }
  - { check: complete }
  - { check: sustained, atLeast: ${limit} }
`;

/** No two repetitions are alike to the nanosecond. */
const NEVER = 'check: stability, cvAtMost: 0 }';

/** A gateway that takes nothing at first, and tells what it is asked. */
const AWAY_ONCE = `
let asked = 0;
const server = require('node:http').createServer((request, response) => {
  console.log(request.method, request.url);
  response.writeHead(++asked === 1 ? 503 : 200).end();
});
server.listen(0, '127.0.0.1', () => console.log('port', server.address().port));
`;

describe('pi-bench qualify', () => {
  it('looks at the node without measuring, says a verdict, and answers with it when asked', () =>
    withFolder(async (folder) => {
      const { code, stdout, stderr } = await run(
        folder,
        'qualify',
        '--tier',
        't0',
        '--expect',
        'cpu=1000000',
      );
      expect(stderr).toBe('');
      expect(code).toBe(1);
      expect(stdout).toMatch(/^NOT QUALIFIED/);
      expect(stdout).toMatch(/count of cpu \d+, limit = 1000000 \(--expect\)/);
      const own = campaignFolder(join(folder, 'results'));
      expect(readRecord(own).record.batches).toEqual([]);
      const answer = await run(folder, 'verdict', '--max-age', '1h');
      expect(answer.code).toBe(1);
      expect(answer.stdout).toMatch(/^not-qualified t0 \d+ s ago: counts missing-device\n$/);
      expect(Buffer.byteLength(answer.stdout.trimEnd())).toBeLessThan(80);
      const shown = await run(folder, 'show', own);
      expect(shown.stdout).toMatch(/^NOT QUALIFIED/);
    }));

  it('answers with the verdict where a format cannot be written, and writes the others', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      const formats = 'prom=file/below.prom,md=/proc/pi-bench/x.md,junit=result.xml';
      const asked = ['--tier', 't0', '--expect', 'cpu=1000000', '--format', formats];
      const { code, stderr } = await run(folder, 'qualify', ...asked, '--push', 'http://127.0.0.1:9');
      expect(code).toBe(1);
      expect(stderr).toMatch(/the verdict stands, but .*below\.prom cannot be written: .*record\.json\n/);
      expect(stderr).toMatch(/the verdict stands, but .*x\.md cannot be written/);
      expect(stderr).toMatch(/written: .*result\.xml\n/);
      expect(stderr).toMatch(/the verdict stands, but http:\/\/127\.0\.0\.1:9 did not take it/);
      expect(readFileSync(join(folder, 'result.xml'), 'utf8')).toContain('<testsuite');
    }));

  it('keeps its verdict and writes its formats also where nobody reads what it prints', () =>
    withFolder(async (folder) => {
      const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
      const asked = 'qualify --tier t0 --expect cpu=1000000 --format junit=result.xml';
      const command = `set -o pipefail; ${process.execPath} ${launcher} ${asked} | true`;
      const { code } = await start('bash', ['-c', command], folder, env).ended;
      expect(code).toBe(1);
      expect(readFileSync(join(folder, 'result.xml'), 'utf8')).toContain('<testsuite');
      expect((await run(folder, 'verdict', '--max-age', '1h')).stdout).toMatch(/^not-qualified t0/);
    }));

  it('keeps and says nothing of a password that it pushes with', () =>
    withFolder(async (folder) => {
      const address = 'http://someone:secret@127.0.0.1:9/';
      const { code, stdout, stderr } = await run(folder, 'qualify', '--tier', 't0', '--push', address);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/the verdict stands, but http:\/\/127\.0\.0\.1:9 did not take it/);
      const own = campaignFolder(join(folder, 'results'));
      const kept = readdirSync(own, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
      expect(kept.length).toBeGreaterThan(2);
      for (const text of [stdout, stderr, ...kept]) expect(text).not.toMatch(/secret|someone/);
      expect(readRecord(own).record.campaign.command.at(-1)).toBe('http://127.0.0.1:9');
      expect(JSON.parse(readFileSync(join(own, 'qualify.json'), 'utf8')).push).toBe('http://127.0.0.1:9');
    }));

  it('is no clean yes where a file or a gateway did not get it: what lies there would be read as today’s', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'yes.yaml'), 'name: yes\nchecks:\n  - { check: swap }\n');
      const asked = ['qualify', '--suite', 'yes.yaml', '--quiet'];
      const { code } = await run(folder, ...asked, '--format', 'junit');
      expect((await run(folder, ...asked, '--format', 'junit=/proc/x.xml')).code).toBe(code || 2);
      expect((await run(folder, ...asked, '--push', 'http://127.0.0.1:9')).code).toBe(code || 2);
    }));

  it('measures what a suite of one’s own says, writes every format, and keeps a sound record', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'quick.yaml'), suite(0.01));
      const { code, stdout } = await run(
        folder,
        'qualify',
        '--suite',
        'quick.yaml',
        '--quiet',
        '--json',
        '--format',
        'json,jsonl,junit,md,html,prom=metrics/pi-bench.prom',
      );
      const printed = JSON.parse(stdout) as PiBenchRecord;
      const own = campaignFolder(join(folder, 'results'));
      const { record } = readRecord(own);
      expect(record).toEqual(printed);
      const { qualification } = record;
      expect(code).toBe(EXITS[qualification?.outcome ?? 'inconclusive']);
      expect(qualification?.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
        ['correctness/small@cpu', 'pass'],
        ['complete/small@cpu', 'pass'],
        ['sustained/small@cpu', 'pass'],
      ]);
      for (const name of [
        'qualification.json',
        'qualification.jsonl',
        'qualification.xml',
        'qualification.md',
        'report.html',
      ])
        expect(existsSync(join(own, name)), name).toBe(true);
      expect(readFileSync(join(folder, 'metrics', 'pi-bench.prom'), 'utf8')).toContain(
        'pi_bench_qualified{suite="quick"} 1',
      );
    }));

  it('measures again what does not hold, in fresh processes, and keeps every attempt', () =>
    withFolder(async (folder) => {
      const never = suite(0.01).replace(/check: sustained.*\}/, NEVER);
      writeFileSync(join(folder, 'quick.yaml'), never);
      const { code, stdout } = await run(folder, 'qualify', '--suite', 'quick.yaml', '--quiet', '--json');
      const { qualification } = JSON.parse(stdout) as PiBenchRecord;
      const check = qualification?.checks.find(({ kind }) => kind === 'stability');
      expect(check?.attempts.length).toBeGreaterThanOrEqual(2);
      // On a busy machine nobody can tell.
      expect([1, 2]).toContain(code);
      const again = qualification?.attempts.slice(1) ?? [];
      expect(again.length).toBeGreaterThanOrEqual(1);
      const own = campaignFolder(join(folder, 'results'));
      for (const { folder: place } of again)
        expect(readRecord(join(own, String(place))).record.batches).toHaveLength(1);
    }));

  it('goes on after a kill with what it had measured, and judges as it was asked to', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'quick.yaml'), suite(0.01).replace('inspections: 2', 'inspections: 8'));
      const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
      const { child, ended } = startPiBench(['qualify', '--suite', 'quick.yaml', '--quiet'], folder, env);
      const results = join(folder, 'results');
      const measured = (): number =>
        existsSync(results)
          ? readdirSync(results)
              .flatMap((name) =>
                existsSync(join(results, name, 'journal.ndjson')) ? [join(results, name)] : [],
              )
              .flatMap(journalOf)
              .filter(({ event }) => event === 'ended').length
          : 0;
      await until(() => (measured() >= 2 ? true : undefined), 'two launches');
      // Stopped, so that it does not come to its end before somebody else has asked for it; its worker is of its group.
      const group = -(child.pid ?? 0);
      process.kill(group, 'SIGSTOP');
      const own = campaignFolder(results);
      const early = await run(folder, 'resume', own);
      expect(early.code).toBe(64);
      expect(early.stderr).toMatch(/another pi-bench on this machine works on campaign/);
      process.kill(group, 'SIGKILL');
      await ended;
      const done = journalOf(own).filter(({ event }) => event === 'ended').length;
      expect(existsSync(join(own, 'record.json'))).toBe(false);
      // What it is held to is what it was begun with, whatever became of the file.
      writeFileSync(join(folder, 'quick.yaml'), suite(1));
      const { code, stdout, stderr } = await run(folder, 'resume', own, '--quiet', '--json');
      expect(stderr).toBe('');
      const { qualification, batches } = JSON.parse(stdout) as PiBenchRecord;
      expect(code).toBe(EXITS[qualification?.outcome ?? 'inconclusive']);
      expect(qualification?.checks.map(({ id, verdict }) => [id, verdict])).toEqual([
        ['correctness/small@cpu', 'pass'],
        ['complete/small@cpu', 'pass'],
        ['sustained/small@cpu', 'pass'],
      ]);
      expect(batches[0]?.measured).toBe(8);
      const lines = journalOf(own);
      const again = lines.slice(lines.findIndex(({ event }) => event === 'resumed'));
      expect(again.filter(({ event }) => event === 'started').length).toBeLessThanOrEqual(8 - done);
      const settled = await run(folder, 'resume', own);
      expect(settled.stderr).toMatch(/came to its end/);
      expect(settled.code).toBe(code);
      const strict = await run(folder, 'resume', own, '--strict');
      expect([strict.code, strict.stdout]).toEqual([64, '']);
      expect(strict.stderr).toMatch(/is a qualification, .* so nothing would come of --strict: leave it out/);
      // A tier that takes a minute is started anew.
      const asked = JSON.parse(readFileSync(join(own, 'qualify.json'), 'utf8')) as object;
      writeFileSync(join(own, 'qualify.json'), JSON.stringify({ ...asked, tier: 't1', suite: null }));
      const refused = await run(folder, 'resume', own);
      expect(refused.code).toBe(64);
      expect(refused.stderr).toMatch(/tier t1, whose launches belong to one minute: start it anew with/);
    }));

  it('is brought by resume to a gateway and to whoever asks, where these did not get it', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'look.yaml'), 'name: look\nchecks:\n  - { check: swap }\n');
      const gateway = start(process.execPath, ['-e', AWAY_ONCE]);
      const port = await until(() => /^port (\d+)$/m.exec(gateway.stdout())?.[1], 'the gateway');
      const push = ['--push', `http://127.0.0.1:${port}`];
      const first = await run(folder, 'qualify', '--suite', 'look.yaml', '--quiet', ...push);
      expect(first.stderr).toMatch(/did not take it: 503/);
      const own = campaignFolder(join(folder, 'results'));
      const outcome = readRecord(own).record.qualification?.outcome ?? 'inconclusive';
      expect(first.code).toBe(EXITS[outcome] || 2);
      rmSync(join(folder, 'state'), { recursive: true });
      const again = await run(folder, 'resume', own, '--quiet');
      expect(again.stderr).toBe('pi-bench: this qualification came to its end: nothing is left to measure\n');
      expect(again.code).toBe(EXITS[outcome]);
      expect(gateway.stdout().match(/^PUT .*\/suite\/look$/gm)).toHaveLength(2);
      expect((await run(folder, 'verdict')).stdout).toMatch(new RegExp(`^${outcome} look `));
      gateway.child.kill();
      await gateway.ended;
    }));

  it('is not put on stdout twice by resume, as nor by qualify', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'look.yaml'), 'name: look\nchecks:\n  - { check: swap }\n');
      await run(folder, 'qualify', '--suite', 'look.yaml', '--quiet', '--format', 'json=-');
      const own = campaignFolder(join(folder, 'results'));
      const { code, stdout, stderr } = await run(folder, 'resume', own, '--json');
      expect([code, stdout]).toEqual([64, '']);
      expect(stderr).toMatch(/--json is the record on stdout, and --format sends something else there, too/);
    }));

  it('is gone on with as what it is, also where a flag with its value stood before the command', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'look.yaml'), 'name: look\nchecks:\n  - { check: swap }\n');
      const first = await run(folder, '--out', 'kept', 'qualify', '--suite', 'look.yaml', '--quiet');
      expect(first.stdout).toMatch(/QUALIFIED|INCONCLUSIVE/);
      const own = campaignFolder(join(folder, 'kept'));
      rmSync(join(own, 'record.json'));
      const { code, stdout } = await run(folder, 'resume', own, '--quiet', '--json');
      const { qualification } = JSON.parse(stdout) as PiBenchRecord;
      expect(qualification?.checks.map(({ kind }) => kind)).toEqual(['swap']);
      expect(code).toBe(EXITS[qualification?.outcome ?? 'inconclusive']);
    }));

  it('measures again after a kill with the build of the addon that measured before, and with no other', () =>
    withFolder(async (folder) => {
      const build = join(folder, 'own.node');
      const built = readFileSync(join(root, 'build', 'Release', 'pibench.node'));
      // What measures as well, and is another file: whoever has loaded the one before keeps it.
      const buildAs = (mark: string) => {
        rmSync(build, { force: true });
        writeFileSync(build, Buffer.concat([built, Buffer.from(mark)]));
      };
      buildAs('first');
      // As long as a cool-down takes there is time for the kill, and no limit holds.
      const open = suite(0.01)
        .replace('100ms', '2s')
        .replace(/check: sustained.*\}/, NEVER);
      writeFileSync(join(folder, 'quick.yaml'), open);
      const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), PIBENCH_ADDON: build };
      const { child, ended } = startPiBench(['qualify', '--suite', 'quick.yaml', '--quiet'], folder, env);
      const results = join(folder, 'results');
      const own = await until(() => {
        const [name] = existsSync(results) ? readdirSync(results) : [];
        const there = name !== undefined && existsSync(join(results, name, 'journal.ndjson'));
        return there && journalOf(join(results, name)).at(-1)?.event === 'stopped'
          ? join(results, name)
          : undefined;
      }, 'the end of the first campaign');
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await ended;
      const resume = () => piBenchIn({ cwd: folder, env }, 'resume', own, '--quiet', '--json');
      buildAs('another');
      const refused = await resume();
      expect([refused.code, refused.stdout]).toEqual([64, '']);
      expect(refused.stderr).toContain('was begun with another build of the addon (own.node)');
      buildAs('first');
      const { qualification } = printedRecord(await resume());
      const [, again] = qualification?.attempts ?? [];
      expect(readInspectionFile(join(own, String(again?.folder)), 0).stack.file).toBe('own.node');
      // What has its verdict needs none any more.
      buildAs('another');
      expect((await resume()).stderr).toMatch(/came to its end/);
    }));

  it('says of a share of the memory how much that was, and draws the node beside the baseline that it was held to', () =>
    withFolder(async (folder) => {
      const pattern = [
        '    - indicator: memory',
        '      parameters: { operation: read, bytes: "1%", threads: 1 }',
        '      duration: 300ms',
        '      inspections: 1',
        '      labels: { part: pattern }',
      ].join('\n');
      const both = suite(0.01).replace('\nchecks:', `\n${pattern}\nchecks:`);
      writeFileSync(join(folder, 'quick.yaml'), both);
      await run(folder, 'qualify', '--suite', 'quick.yaml', '--quiet', '--format', 'jsonl=line.jsonl');
      // Three nodes that are this one; how far they are from a peak is of no interest here.
      const { kpis, ...line } = JSON.parse(readFileSync(join(folder, 'line.jsonl'), 'utf8'));
      const lines = ['n1', 'n2', 'n3'].map((node) =>
        JSON.stringify({
          ...line,
          node,
          hostname: node,
          machine: node,
          // Of one record they would be one measurement, and what a busy machine failed or was flagged for would leave them out.
          digest: null,
          checks: [],
          problems: [],
          kpis: kpis.map((kpi: object) => ({ ...kpi, peak: null, flags: [] })),
        }),
      );
      writeFileSync(join(folder, 'nodes.jsonl'), `${lines.join('\n')}\n`);
      const made = await run(folder, 'fleet', 'baseline', 'nodes.jsonl', '-o', 'fleet.json');
      expect(made.code, made.stderr).toBe(0);
      // However busy the machine is meanwhile.
      writeFileSync(join(folder, 'held.yaml'), `${both}  - { check: floor, medianAtLeast: 0.01 }\n`);
      const { stdout, stderr } = await run(
        folder,
        ...['qualify', '--suite', 'held.yaml', '--baseline', 'fleet.json', '--quiet', '--json'],
        ...['--format', 'html=page.html'],
      );
      if (stdout === '') throw new Error(stderr);
      const { qualification } = JSON.parse(stdout) as PiBenchRecord;
      const of = (id: string) => qualification?.checks.find((check) => check.id === id);
      // Free memory is never twice the same, and it is the same case nevertheless.
      for (const part of ['small', 'pattern']) expect(of(`floor/${part}@cpu`)?.verdict).toBe('pass');
      const covered = (part: string) =>
        of(`correctness/${part}@cpu`)?.findings.find(({ quantity }) => quantity === 'memory_covered')
          ?.measured;
      expect(covered('small')).toBeUndefined();
      expect(covered('pattern')).toBeLessThanOrEqual(0.01);
      expect(covered('pattern')).toBeGreaterThan(0);
      const [first, second] = qualification?.baseline?.references ?? [];
      expect(first).toMatchObject({ batch: 0, nodes: 3 });
      expect(first?.distribution?.seconds).toHaveLength(17);
      // A share has no work of its own, so the fleet's rates do not tell the seconds.
      expect(second).toMatchObject({ batch: 1, nodes: 3, distribution: null });
      const page = readFileSync(join(folder, 'page.html'), 'utf8');
      expect(page).toMatch(/<figure id="baseline">/);
      for (const part of ['small', 'pattern']) expect(page).toContain(`${part}, baseline`);
    }));

  it('has a verdict, and no yes, by a baseline of nodes with more CPUs: one that lost some must not keep that of yesterday', () =>
    withFolder(async (folder) => {
      const held = `${suite(0.01)}  - { check: floor, medianAtLeast: 0.01 }\n`;
      writeFileSync(join(folder, 'held.yaml'), held);
      const { machine } = printedRecord(
        await run(folder, 'qualify', '--suite', 'held.yaml', '--quiet', '--json'),
      );
      const { cpu } = machine as unknown as MachineDescription;
      const device = { ...baselineDevice(machine as unknown as MachineDescription, 'cpu') };
      const baseline = {
        ...emptyBaseline(),
        entries: [baselineEntry({ ...device, cpus: (cpu.threads ?? 1) + 1 })],
      };
      writeFileSync(join(folder, 'fleet.json'), JSON.stringify(baseline));
      const asked = ['--suite', 'held.yaml', '--baseline', 'fleet.json', '--quiet', '--json'];
      const came = await run(folder, 'qualify', ...asked);
      const { qualification } = printedRecord(came);
      expect(qualification?.checks.find(({ id }) => id === 'floor@cpu')).toMatchObject({
        verdict: 'inconclusive',
        cause: 'missing-device',
        required: true,
      });
      expect([came.code, qualification?.outcome]).toEqual([2, 'inconclusive']);
      expect((await run(folder, 'verdict')).stdout).toMatch(/^inconclusive quick \d+ s ago: floor/);
    }));

  it('keeps its deadline: what hangs is ended, and nothing is known then', () =>
    withFolder(async (folder) => {
      // Nobody knows how long so many repetitions take, so their launch is begun.
      const endless = suite(0.01).replace('duration: 300ms', 'repetitions: 2000000');
      writeFileSync(join(folder, 'quick.yaml'), endless);
      const began = Date.now();
      const { code } = await run(folder, 'qualify', '--suite', 'quick.yaml', '--quiet', '--deadline', '6s');
      expect(Date.now() - began).toBeLessThan(60_000);
      expect(code).toBe(2);
      const { record } = readRecord(campaignFolder(join(folder, 'results')));
      expect(record.qualification?.checks.find(({ kind }) => kind === 'complete')?.verdict).toBe(
        'inconclusive',
      );
    }));
});

describe('bad usage of pi-bench qualify', () => {
  const given: readonly (readonly [args: string, says: RegExp])[] = [
    [
      '--tier t0 --expect nic=8',
      /--expect takes counts of gpu, cpu, core, socket, numa and the size of memory, such as gpu=8,cpu=64,memory=768GiB; got "nic=8"/,
    ],
    ['--tier t0 --expect memory=768', /such as gpu=8,cpu=64,memory=768GiB; got "memory=768"/],
    ['--tier t0 --expect cpu=2GiB', /got "cpu=2GiB"/],
    ['--tier t0 --format pdf', /--format pdf is unknown; there is json, jsonl, junit, md, html, prom/],
    ['--tier t0 --json --format jsonl=-', /--json is the record on stdout/],
    ['--tier t0 --format json=a,junit=./a', /twice, and the one would overwrite the other/],
    ['--self-test --tier t0', /--self-test judges a suite of its own and keeps no record/],
    ['--tier t0 --push gateway', /--push takes the address of a Pushgateway/],
    [
      '--tier t0 --push http://user:secret@gateway/?a=b',
      /--push takes an address without \? and #.*"\*\*\*@/,
    ],
    ['--tier t1 --baseline none.json', /cannot read the baseline/],
    ['--tier t0 --baseline none.json', /suite t0 has no check floor, so nothing would be held to it/],
    ['--tier t0 --expect cpu=1,cpu=2', /--expect names cpu twice/],
    ['--tier t0 --require floor', /--require floor: suite t0 has no such check/],
    ['--tier t0 --require flor', /--require flor: there is no such check; there is counts/],
    ['--tier t0 --suite a.yaml', /give one of them/],
    ['--suite none.yaml', /cannot read none.yaml/],
    ['--tier t9', /t9/],
    ['--tier t0 --deadline soon', /--deadline takes a time/],
    [
      '--tier t1 --deadline 4s',
      /--deadline 4 s leaves no time to measure anything: .*; give more than 6\.5 s/,
    ],
  ];
  let runs: readonly Run[] = [];
  let left: readonly string[] = [];
  beforeAll(() =>
    withFolder(async (folder) => {
      const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
      runs = await piBenchEach(
        given.map(([args]) => ['qualify', ...args.split(' ')]),
        { cwd: folder, env },
      );
      left = readdirSync(folder);
    }),
  );

  it.each(given)('%s is told in one line', (args, says) => {
    const run = runs[given.findIndex(([one]) => one === args)];
    expect(run?.code).toBe(64);
    expect(run?.stdout).toBe('');
    expect(run?.stderr).toMatch(says);
    expect(run?.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('leaves nothing behind', () => {
    expect(runs).toHaveLength(given.length);
    expect(left).toEqual([]);
  });

  // The same by the launcher, whose exit code it is.
  it('is refused by the launcher as by the command', () =>
    withFolder(async (folder) => {
      const { code, stdout, stderr } = await run(folder, 'qualify', '--tier', 't9');
      expect([code, stdout]).toEqual([64, '']);
      expect(stderr).toMatch(/t9/);
    }));
});

describe('pi-bench verdict', () => {
  it('without a verdict says how to get one', () =>
    withFolder(async (folder) => {
      const { code, stdout } = await run(folder, 'verdict');
      expect([code, stdout]).toEqual([2, 'inconclusive: no verdict yet; run: pi-bench qualify\n']);
    }));

  it('is the same answer where nobody reads it, or there is no room for it', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'verdicts.json');
      const verdict = {
        outcome: 'qualified',
        suite: 't0',
        tier: 't0',
        at: new Date().toISOString(),
        why: null,
      };
      const kept = { ...verdict, checks: 1, record: folder, held: [] };
      const verdicts = {
        kind: 'pi-bench verdicts',
        schemaVersion: 1,
        hostname: hostname(),
        verdicts: [kept],
      };
      writeFileSync(file, JSON.stringify(verdicts));
      const into = (place: string): Promise<Run> =>
        start('bash', [
          '-c',
          `set -o pipefail; ${process.execPath} ${launcher} verdict --file ${file} ${place}`,
        ]).ended;
      expect((await into('')).stdout).toMatch(/^qualified t0/);
      expect(await into('--tier t1')).toMatchObject({
        code: 2,
        stdout: 'inconclusive: no verdict of t1 or above yet; run: pi-bench qualify --tier t1\n',
      });
      expect(await into('| true')).toMatchObject({ code: 0, stderr: '' });
      const full = await into('> /dev/full');
      expect(full.code).toBe(0);
      expect(full.stderr).toMatch(/^pi-bench: cannot write to stdout: ENOSPC[^\n]*\n$/);
    }));

  it('explains itself, and refuses what it does not know', () =>
    withFolder(async (folder) => {
      expect((await run(folder, 'verdict', '--help')).stdout).toContain('--max-age');
      expect((await run(folder, 'verdict', '--max-age', 'long')).code).toBe(64);
      expect((await run(folder, 'verdict', '--max-age')).code).toBe(64);
      expect((await run(folder, 'verdict', '--maximum', '3h')).code).toBe(64);
      expect((await run(folder, 'verdict', '--tier', 't9')).code).toBe(64);
    }));
});

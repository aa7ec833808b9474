/**
 * The whole way of a verdict into Prometheus, all of it real: qualify, the textfile collector of node_exporter, a scrape, a query; and the
 * same text as OpenMetrics, of which Prometheus has another parser.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startPiBench, withFolder } from '../support/pi-bench.js';

const EXPORTER = 'prometheus-node-exporter';
const ANY_PORT = '--web.listen-address=127.0.0.1:0';
const PATIENCE_MS = 60_000;

interface Service {
  readonly child: ChildProcess;
  readonly port: number;
}

/** A server that says on which port it listens. */
async function startService(program: string, ...flags: readonly string[]): Promise<Service> {
  const child = spawn(program, [ANY_PORT, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString('utf8');
      const [, digits] = /Listening on" address=\S*:(\d+)/.exec(said) ?? [];
      if (digits !== undefined) resolve(Number(digits));
    });
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`${program} ended: ${said}`)));
  });
  return { child, port };
}

/** The value of a series that it has scraped. */
async function answerTo(series: string, { port }: Service): Promise<string> {
  const address = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(series)}`;
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await setTimeout(200)) {
    const answer = (await (await fetch(address)).json()) as {
      data?: { result: readonly { value: readonly [number, string] }[] };
    };
    const [first] = answer.data?.result ?? [];
    if (first !== undefined) return first.value[1];
  }
  throw new Error(`Prometheus does not know ${series}`);
}

it('a verdict that qualify leaves for node_exporter is what Prometheus answers', async ({ skip }) => {
  for (const program of [EXPORTER, 'prometheus'])
    if (spawnSync(program, ['--version']).status !== 0) return skip(`no ${program} (Debian has it)`);
  await withFolder(async (folder) => {
    const textfiles = join(folder, 'textfiles');
    mkdirSync(textfiles);
    const args = ['qualify', '--tier', 't0', '--expect', 'cpu=1000000', '--quiet'];
    const file = join(textfiles, 'pi-bench.prom');
    const env = { ...process.env, XDG_STATE_HOME: folder };
    expect((await startPiBench([...args, '--format', `prom=${file}`], folder, env).ended).code).toBe(1);
    const asOpenMetrics = createServer((_, response) => {
      response.writeHead(200, {
        'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
      });
      response.end(readFileSync(file));
    });
    await new Promise<void>((done) => asOpenMetrics.listen(0, '127.0.0.1', done));
    const services: Service[] = [];
    try {
      const exporter = await startService(
        EXPORTER,
        ...['--collector.disable-defaults', '--collector.textfile'],
        `--collector.textfile.directory=${textfiles}`,
      );
      services.push(exporter);
      const targets = { node: exporter.port, open: (asOpenMetrics.address() as AddressInfo).port };
      const scrapes = Object.entries(targets).map(([job, port]) => ({
        job_name: job,
        scrape_interval: '1s',
        static_configs: [{ targets: [`127.0.0.1:${port}`] }],
      }));
      writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify({ scrape_configs: scrapes }));
      const prometheus = await startService(
        'prometheus',
        ...[`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`],
      );
      services.push(prometheus);
      for (const job of Object.keys(targets)) {
        const value = (series: string, labels: string) =>
          answerTo(`${series}{job="${job}",${labels}}`, prometheus);
        expect(await value('pi_bench_qualified', 'suite="t0"'), job).toBe('0');
        expect(await value('pi_bench_outcome', 'outcome="not-qualified"'), job).toBe('1');
        expect(await value('pi_bench_check_status', 'kind="counts",verdict="fail"'), job).toBe('1');
      }
    } finally {
      asOpenMetrics.close();
      asOpenMetrics.closeAllConnections();
      const ended = services.map(({ child }) => new Promise((done) => child.on('close', done)));
      for (const { child } of services) child.kill('SIGKILL');
      await Promise.all(ended);
    }
  });
});

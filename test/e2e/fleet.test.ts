/** `pi-bench fleet` as a user has it: nodes that were really measured, lines, pages, and what it must refuse. */
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgingOf } from '../../src/fleet/check.js';
import { judgeOnThreads } from '../../src/fleet/judge-threads.js';
import { putLines } from '../../src/fleet/lines-into.js';
import { asNodeLine, type NodeLine, toLine } from '../../src/fleet/node-line.js';
import { buildFleet, fleetOf } from '../../src/fleet/table.js';
import { digestOf } from '../../src/record/digest.js';
import { healthyNodes, kpiOf, nodeOf, ratesOf } from '../fleet/support.js';
import { matmulFolder, piBench, piBenchEach, withFolder } from '../support/pi-bench.js';
import { writeCampaign } from '../support/report.js';

const SMALL = ['--size', '48', '--threads', '1', '--reps', '200', '--inspections', '2', '--warmup', '10'];

/** One small campaign, as one node of a fleet. */
const measured = (folder: string, node: string, ...more: string[]): Promise<string> =>
  matmulFolder(join(folder, node), ...SMALL, ...more);

function write(folder: string, name: string, nodes: Parameters<typeof toLine>[0][]): string {
  const path = join(folder, name);
  writeFileSync(path, nodes.map(toLine).join(''));
  return path;
}

const nodesIn = (path: string): NodeLine[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => asNodeLine(JSON.parse(line), path) as NodeLine);

const slower = (node: NodeLine, share: number): NodeLine => ({
  ...node,
  kpis: node.kpis.map((kpi) => ({
    ...kpi,
    median: kpi.median * share,
    p05: kpi.p05 === null ? null : kpi.p05 * share,
    sustained: kpi.sustained === null ? null : kpi.sustained * share,
  })),
});

describe('pi-bench fleet', () => {
  it('reads nodes that were measured, and names the one that is gone', async () => {
    await withFolder(async (folder) => {
      const good = [];
      for (const node of ['n1', 'n2']) good.push(await measured(folder, node));
      good.push(await measured(folder, 'n3', '--labels', 'node_name=third,pair=third first'));
      const lost = join(folder, 'gone');
      mkdirSync(lost);
      const check = await piBench('fleet', 'check', ...good, lost, '--json');
      // They are one machine, which no fleet is: whoever reads the answer has to know. A container has no identity.
      const { labels } = JSON.parse(readFileSync(join(good[0] ?? '', 'record.json'), 'utf8'));
      expect(check.stderr).toMatch(
        labels.machine === null
          ? /^$/
          : /^pi-bench: 3 nodes have one machine identity \(.*\): they count as so many/,
      );
      // Three tiny campaigns beside other tests need not be alike.
      expect([1, 2]).toContain(check.code);
      const { nodes, named, reference } = JSON.parse(check.stdout);
      expect(nodes).toBe(4);
      const causes = Object.fromEntries(
        named.map((one: { node: string; cause: string }) => [one.node, one.cause]),
      );
      expect(causes).toMatchObject({ gone: 'lost' });
      // Two have this machine's host name, so they are called by their folders; the third says what it is called.
      const folders: (string | null)[] = [null, 'third', ...good.map((path) => basename(path))];
      expect(folders).toContain(reference);

      const lines = join(folder, 'nodes.jsonl');
      expect((await piBench('fleet', 'nodes', ...good, '-o', lines)).code).toBe(0);
      expect(readFileSync(lines, 'utf8')).toMatch(/"node":"third"/);
      const pair = await piBench('fleet', 'pairs', '--first', good[2] ?? '');
      // One pair is as fast as itself.
      expect([pair.code, pair.stderr]).toEqual([
        2,
        expect.stringMatching(
          /^pi-bench: 1 pair has a rate, and fewer than 3 cannot say .*\n.*no pair is slower than .*FLOP\/s: there is no second pass/,
        ),
      ]);
    });
  });

  it('makes a baseline of results folders, and holds their nodes against it', async () => {
    await withFolder(async (folder) => {
      // Not measured here: how near a product comes to its peak, and how alike three of them are, this machine decides.
      const nodes = ['n1', 'n2', 'n3'].map((name) => join(folder, name));
      for (const node of nodes) {
        const made = await writeCampaign(node, [{ size: 512, repetitions: 100, inspections: 2 }]);
        // Of one record they would be one measurement.
        const own = { ...made, campaign: { ...made.campaign, id: basename(node) } };
        writeFileSync(join(node, 'record.json'), JSON.stringify({ ...own, digest: digestOf(own) }));
      }
      const [lines, baseline] = [join(folder, 'nodes.jsonl'), join(folder, 'fleet.json')];
      expect((await piBench('fleet', 'nodes', ...nodes, '-o', lines)).code).toBe(0);
      const made = await piBench('fleet', 'baseline', lines, '-o', baseline);
      expect([made.code, made.stderr]).toEqual([0, '']);
      expect(made.stdout).toMatch(/2 entries from 3 nodes/);
      // What it wrote it also reads.
      const against = await piBench('fleet', 'check', lines, '--baseline', baseline, '--json');
      const { outcome, kpis, notJudged, named, baseline: by } = JSON.parse(against.stdout);
      expect([against.code, outcome, kpis, notJudged, named]).toEqual([0, 'pass', 1, [], []]);
      expect(by).toMatchObject({ nodes: 3 });
      // One node is judged by it, as it could not be by itself.
      const slow = nodesIn(lines)
        .slice(0, 1)
        .map((node) => slower(node, 0.8));
      const one = await piBench(
        'fleet',
        'check',
        write(folder, 'slow.jsonl', slow),
        '--baseline',
        baseline,
        '--json',
      );
      expect(one.code).toBe(1);
      expect(JSON.parse(one.stdout).named).toMatchObject([{ node: 'n1', cause: 'slow' }]);
    });
  });

  it('says what stands out in words, and draws the node beside its fleet', async () => {
    await withFolder(async (folder) => {
      const slow = nodeOf('slow', [kpiOf(ratesOf(5, {}, (rate, i) => (i % 10 === 0 ? 0.7 : 1) * rate))]);
      const warns = [
        { name: 'ecc@cpu', verdict: 'warn', cause: null, reason: '3 corrected', seconds: null },
      ] as const;
      const [first, ...others] = healthyNodes(8);
      const path = write(folder, 'nodes.jsonl', [{ ...(first as NodeLine), checks: warns }, ...others, slow]);
      const text = await piBench('fleet', 'check', path);
      expect(text.stdout).toMatch(/^ {2}warned {2}ecc@cpu on n0: 3 corrected$/m);
      expect(text.code).toBe(1);
      expect(text.stdout).toMatch(/1 node named/);
      expect(text.stdout).toMatch(/^slow\n {2}cause {5}stalling/m);
      expect(Math.max(...text.stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
      const page = join(folder, 'fleet.html');
      expect((await piBench('fleet', 'check', path, '--format', 'html', '-o', page)).stdout).toBe(
        `${page}\n`,
      );
      const html = readFileSync(page, 'utf8');
      expect(html).toMatch(/<figure id="node-1">/);
      expect(html).toMatch(/8 other nodes/);
      const prom = await piBench('fleet', 'check', path, '--format', 'openmetrics');
      expect(prom.stdout).toMatch(/^pi_bench_fleet_node_ok\{node="slow"\} 0$/m);
      expect(prom.stdout).toMatch(/\n# EOF\n$/);
    });
  });

  it('replaces the file that it is told to write as a whole, so that nobody reads half of one', async () => {
    await withFolder(async (folder) => {
      const path = write(folder, 'nodes.jsonl', healthyNodes(3));
      const [file, kept] = [join(folder, 'fleet.json'), join(folder, 'kept')];
      writeFileSync(file, 'before');
      linkSync(file, kept);
      expect((await piBench('fleet', 'baseline', path, '-o', file)).code).toBe(0);
      expect(JSON.parse(readFileSync(file, 'utf8')).kind).toBe('pi-bench baseline');
      expect(readFileSync(kept, 'utf8')).toBe('before');
      expect(readdirSync(folder).sort()).toEqual(['fleet.json', 'kept', 'nodes.jsonl']);
    });
  });

  it('says of SuperBench’s metrics which it has no use for', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'results-summary.jsonl');
      const line = (i: number): string =>
        `${JSON.stringify({ node: `n${i}`, 'mem-bw/h2d_bw:0': 25, 'gemm-flops/mystery': 3 })}\n`;
      writeFileSync(path, [1, 2, 3].map(line).join(''));
      const { code, stderr } = await piBench('fleet', 'check', path);
      expect([code, stderr]).toEqual([
        0,
        'pi-bench: left out 1 metric of each of 3 nodes (such as gemm-flops/mystery): no name that tells what is better, no value above 0, or a reading of the machine\n',
      ]);
    });
  });

  it('refuses what is no fleet, with one line each', async () => {
    await withFolder(async (folder) => {
      const mixed = healthyNodes(3).map((node, i) => ({
        ...node,
        hardware: { cpu_model: i === 1 ? 'b' : 'a' },
      }));
      const one = write(folder, 'one.jsonl', healthyNodes(1));
      const cases: [readonly string[], number, RegExp][] = [
        [['check'], 64, /^pi-bench: the fleet is empty: give .*\n$/],
        [['check', write(folder, 'mixed.jsonl', mixed)], 64, /^pi-bench: mixed hardware: cpu_model: .*\n$/],
        [
          ['check', join(folder, 'none')],
          64,
          /^pi-bench: there is no .*none: name results folders, or files of node lines\n$/,
        ],
        [['baseline', one], 64, /^pi-bench: 1 node makes no baseline: .*needs 3\n$/],
        [['check', one, '--baseline', one], 64, /^pi-bench: .*one\.jsonl is no baseline.*\n$/],
        [['plan', one], 64, /^pi-bench: .*budget.*\n$/],
        [['chek', one], 64, /^pi-bench: fleet has no command chek; it has check, baseline, .*\n$/],
        [
          ['check', one, '--across', 'cpu_modell'],
          64,
          /^pi-bench: --across: no fact is called cpu_modell; .*\n$/,
        ],
        [['pairs'], 64, /^pi-bench: pairs takes --nodes .*\n$/],
        [[], 64, /^pi-bench: say what to do with the fleet.*\n$/],
      ];
      const runs = await piBenchEach(cases.map(([args]) => ['fleet', ...args]));
      for (const [i, [args, code, message]] of cases.entries()) {
        expect([args[0], runs[i]?.code, runs[i]?.stdout]).toEqual([args[0], code, '']);
        expect(runs[i]?.stderr).toMatch(message);
      }
      const alone = await piBench('fleet', 'check', one);
      expect(alone.code).toBe(2);
      expect(alone.stdout).toMatch(/not judged [\s\S]*one\s+node has it, and fewer than 3/);
    });
  });

  it('is the same read on several threads, and so is what is said of a bad line', async () => {
    await withFolder(async (folder) => {
      const read = async (path: string, threads: number) => {
        const builder = buildFleet();
        return { put: await putLines(builder, path, threads), fleet: builder.fleet() };
      };
      const path = write(folder, 'nodes.jsonl', healthyNodes(30, 2));
      const alone = await read(path, 1);
      expect(alone.put[29]).toEqual({ node: 'n29', number: 30 });
      for (const threads of [2, 3]) expect(await read(path, threads)).toEqual(alone);
      const slow = nodeOf('slow', [kpiOf(ratesOf(5, { level: 0.8e11 }))]);
      const task = judgingOf(fleetOf([...healthyNodes(60, 5), slow]), { scale: 1, baseline: null });
      const judged = await judgeOnThreads(task, 1);
      expect(judged[0]?.findings.map(({ row }) => row)).toContain(60);
      for (const threads of [2, 4]) expect(await judgeOnThreads(task, threads)).toEqual(judged);
      writeFileSync(path, `${readFileSync(path, 'utf8')}\n{"cut": \n`);
      for (const threads of [1, 3])
        await expect(read(path, threads)).rejects.toThrow(/nodes\.jsonl:32 is not JSON/);
    });
  });

  it('plans two passes of pairs and names the culprit', async () => {
    await withFolder(async (folder) => {
      const planned = await piBench('fleet', 'pairs', '--nodes', 'a,b,c,d,e,f,g,h', '--json');
      const { pairs } = JSON.parse(planned.stdout) as { pairs: [string, string][] };
      const lines = (all: readonly (readonly string[])[]) =>
        all
          .map((pair) => `${JSON.stringify({ pair, rate: pair.includes('c') ? 4e9 : 1e10, unit: 'B/s' })}\n`)
          .join('');
      const [first, second] = [join(folder, 'first.jsonl'), join(folder, 'second.jsonl')];
      writeFileSync(first, lines(pairs));
      const again = await piBench('fleet', 'pairs', '--first', first);
      expect(again.code).toBe(2);
      const suspects = again.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' '));
      expect(suspects).toHaveLength(2);
      writeFileSync(second, lines(suspects));
      const verdict = await piBench('fleet', 'pairs', '--first', first, '--second', second);
      expect([verdict.code, verdict.stderr]).toEqual([1, '']);
      expect(verdict.stdout).toMatch(/^slow link at c; a link passes from 9\.000 GB\/s/);
      // Of a pair that hangs nothing is there: it is slow for whoever knows that it was to be measured, and for nobody else.
      const hangs = pairs.find((pair) => pair.includes('c')) ?? ['', ''];
      writeFileSync(first, lines(pairs.filter((pair) => pair !== hangs)));
      const unseen = await piBench('fleet', 'pairs', '--first', first);
      expect([unseen.code, unseen.stdout]).toEqual([0, '']);
      const seen = await piBench('fleet', 'pairs', '--nodes', 'a,b,c,d,e,f,g,h', '--first', first);
      expect([seen.code, seen.stderr]).toEqual([
        2,
        `pi-bench: nothing was measured of ${hangs.join(' and ')}: taken for failed\n`,
      ]);
      expect(seen.stdout.trim().split('\n')).toHaveLength(2);
      const seed = await piBench(
        ...['fleet', 'pairs', '--nodes', 'a,b,c,d,e,f,g,h', '--seed', '2', '--first', first],
      );
      expect([seed.code, seed.stdout]).toEqual([64, '']);
      writeFileSync(first, lines([...pairs, ...pairs.slice(1, 2)]));
      const twice = await piBench('fleet', 'pairs', '--first', first);
      expect(twice.stderr).toBe(
        `pi-bench: measured several times, of which the newest counts: ${pairs[1]?.join(' and ')}\n`,
      );
      writeFileSync(first, lines(pairs));
      writeFileSync(second, '{"pair": ["c", "a"], "rate": 4e9, "unit": "FLOP/s"}\n');
      const mixed = await piBench('fleet', 'pairs', '--first', first, '--second', second);
      expect([mixed.code, mixed.stderr]).toEqual([
        64,
        'pi-bench: the first pass is in B/s and the second in FLOP/s: measure both alike\n',
      ]);
      writeFileSync(second, '{"pair": ["a"]}\n');
      const bad = await piBench('fleet', 'pairs', '--first', first, '--second', second);
      expect([bad.code, bad.stdout]).toEqual([64, '']);
      expect(bad.stderr).toMatch(/second\.jsonl:1 is no measured pair such as/);
    });
  });
});

/** Node lines, their keys, and what is said of a line that is broken. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyText, keyTitle, readKey } from '../../src/fleet/case-key.js';
import { forecast } from '../../src/fleet/forecast.js';
import { refuseMixed, sameMachines } from '../../src/fleet/identity.js';
import { asNodeLine, type NodeLine, toLine } from '../../src/fleet/node-line.js';
import { readFleet, readLines } from '../../src/fleet/read-fleet.js';
import { linesOf } from '../../src/fleet/read-lines.js';
import { KNOTS } from '../../src/fleet/sketch.js';
import { buildFleet, fleetOf } from '../../src/fleet/table.js';
import { withFolder } from '../support/pi-bench.js';
import { healthyNodes, KEY } from './support.js';

const name = fc.string({ minLength: 1, maxLength: 12 });
const parameter = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());

describe('a KPI’s key', () => {
  it('tells the case again, whatever is in its parameters', () => {
    fc.assert(
      fc.property(
        name,
        fc.dictionary(name, parameter, { maxKeys: 5, noNullPrototype: true }),
        name,
        fc.option(name),
        fc.option(name),
        (indicator, parameters, provider, variant, own) => {
          const stack = { provider, variant, ...(own === null ? {} : { own }) };
          const key = { indicator, parameters, stack, kpi: 'pibench_x_rate' };
          // -0 is written 0, and no parameter of a case tells them apart.
          const plain = Object.fromEntries(
            Object.entries(parameters).map(([one, value]) => [one, Object.is(value, -0) ? 0 : value]),
          );
          expect(readKey(keyText(key))).toEqual({ ...key, parameters: plain });
        },
      ),
    );
  });

  it('is the same for parameters in another order, and is words for a person', () => {
    const stack = { provider: 'embedded', variant: null };
    const [a, b] = [
      keyText({ indicator: 'matmul', parameters: { m: 1, dtype: 'float32' }, stack, kpi: 'x' }),
      keyText({ indicator: 'matmul', parameters: { dtype: 'float32', m: 1 }, stack, kpi: 'x' }),
    ];
    expect(a).toBe(b);
    expect(keyTitle(KEY)).toMatch(/^matmul 512.*float32.*, embedded$/);
    const soak = KEY.replace('@', '&duration=60s&warmup=0.5s&atOnce=true@');
    expect(keyTitle(soak)).toMatch(/^matmul 512.*, embedded, for 60s after 0\.5s, at once$/);
    expect(keyTitle('other?a=1&b=true@x:y#k')).toBe('other a=1 b, x:y');
    expect(keyTitle('other?a=1@x:y+my%20stack#k')).toBe('other a=1, my stack');
    expect(keyTitle('superbench/gemm-flops/fp16_flops')).toBe('superbench/gemm-flops/fp16_flops');
  });
});

describe('node lines', () => {
  it('are read back as they were written', async () => {
    await withFolder(async (folder) => {
      const nodes = healthyNodes(5, 2);
      const path = join(folder, 'nodes.jsonl');
      writeFileSync(path, `${nodes.map(toLine).join('')}\n`);
      const fleet = await readFleet([path]);
      expect(fleet.nodes.map(({ node }) => node)).toEqual(nodes.map(({ node }) => node));
      expect(fleet.series.map(({ places }) => places.length)).toEqual([5, 5]);
      const [first] = fleet.series;
      expect(first?.columns.median[3]).toBe(nodes[3]?.kpis[0]?.median);
      const median = nodes[3]?.kpis[0]?.median ?? 0;
      expect(first?.sketches[3 * KNOTS + 12]).toBeCloseTo(median, -4);
    });
  });

  it('are split where they end, however they lie in the file', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'lines');
      const texts = Array.from({ length: 400 }, (_, i) => 'ä'.repeat(1 + ((i * 7919) % 30_000)));
      writeFileSync(
        path,
        texts
          .map((text, i) => `${text}${i % 7 === 0 ? '\n\n' : '\n'}`)
          .join('')
          .slice(0, -1),
      );
      const read = [...linesOf(path)];
      expect(read.map(({ text }) => text)).toEqual(texts);
      expect(read[1]?.number).toBe(3);
    });
  });

  it('lie in one stretch each, wherever a file is cut', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'lines');
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.string({ maxLength: 9 }).map((text) => text.replaceAll(/\s/g, 'x')),
            { maxLength: 20 },
          ),
          fc.boolean(),
          fc.array(fc.nat(200), { maxLength: 4 }),
          async (texts, ended, cuts) => {
            writeFileSync(path, texts.join('\n') + (ended ? '\n' : ''));
            const edges = [0, ...cuts.sort((a, b) => a - b), Number.POSITIVE_INFINITY];
            const read: string[] = [];
            let before = 0;
            for (const [i, from] of edges.slice(0, -1).entries()) {
              const lines = linesOf(path, { from, to: edges[i + 1] as number });
              for (let next = lines.next(); ; next = lines.next()) {
                if (next.done === true) {
                  before += next.value;
                  break;
                }
                read.push(`${before + next.value.number} ${next.value.text}`);
              }
            }
            expect(read).toEqual([...linesOf(path)].map(({ number, text }) => `${number} ${text}`));
          },
        ),
      );
    });
  });

  it('are read as other systems write them: CRLF, empty lines, a byte order mark', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'nodes.jsonl');
      const texts = healthyNodes(3).map((node) => toLine(node).trim());
      writeFileSync(path, `\ufeff${texts.join('\r\n\r\n')}\r\n  \r\n`);
      expect((await readFleet([path])).nodes).toHaveLength(3);
    });
  });

  it('put together from parts are the fleet that one reader has, however many were expected', () => {
    const nodes = healthyNodes(40, 3).map((node, i) => ({
      ...node,
      // Some lack a KPI, some have another one, some have flags.
      kpis: node.kpis.flatMap((kpi, k) =>
        (i + k) % 7 === 0
          ? []
          : [{ ...kpi, key: i % 5 === 0 ? `${kpi.key}x` : kpi.key, flags: i % 3 ? [] : ['thermal'] }],
      ),
    }));
    for (const expected of [undefined, 0, 17, 28, 1e12]) {
      const parts = buildFleet();
      for (const [from, to] of [
        [0, 11],
        [11, 12],
        [12, 40],
      ]) {
        const part = buildFleet();
        for (const node of nodes.slice(from, to)) part.add(node, expected);
        parts.append(part.fleet());
      }
      expect(parts.fleet()).toEqual(fleetOf(nodes));
    }
  });

  it('are as many as their file is long', () => {
    const expected = forecast(1000);
    // Ten lines of 99 characters and their end; a little more are expected than there will be.
    expect([expected(99), expected(99)]).toEqual([11, 11]);
    // A third one of 299: lines are 167 bytes long on average.
    expect(expected(299)).toBe(7);
    expect(forecast(0)(99)).toBe(0);
  });

  it('that do not agree on the unit of a KPI are no fleet', () => {
    const [a, b] = healthyNodes(2);
    const other = { ...b, kpis: b?.kpis.map((kpi) => ({ ...kpi, unit: 'GFLOP/s' })) } as NodeLine;
    const says = /^KPI matmul\?.* of node n1 is in "GFLOP\/s" \(higher is better\), and in "FLOP\/s"/;
    expect(() => fleetOf([a as NodeLine, other])).toThrow(says);
    const [first, second] = [buildFleet(), buildFleet()];
    first.add(a as NodeLine);
    second.add(other);
    expect(() => first.append(second.fleet())).toThrow(says);
  });

  it('that have a KPI twice count once, by the slower: in the same time the faster repeats more often', () => {
    const twice = (better: 'higher' | 'lower') =>
      healthyNodes(3).map((node) => ({
        ...node,
        kpis: node.kpis.flatMap((kpi) => [
          { ...kpi, better, median: 4 },
          { ...kpi, better, n: 10 * kpi.n, median: 5 },
          { ...kpi, better, n: 1, median: 2 },
        ]),
      }));
    const [series] = fleetOf(twice('higher')).series;
    expect([...(series?.columns.median ?? [])]).toEqual([2, 2, 2]);
    expect([...(series?.places ?? [])]).toEqual([0, 1, 2]);
    expect(fleetOf(twice('lower')).series[0]?.columns.median[1]).toBe(1 / 5);
  });

  const [good] = healthyNodes(1);
  const broken = (change: object): unknown => ({
    ...JSON.parse(toLine(good ?? (healthyNodes(1)[0] as never))),
    ...change,
  });

  it.each([
    [{ schemaVersion: 99 }, /f:7: the node has schema version 99; this pi-bench reads up to 1/],
    [{ node: '' }, /f:7: it has no node/],
    [{ kpis: 3 }, /f:7: it has no list of kpis/],
    [{ kpis: [{}] }, /f:7: a KPI has no key/],
    [{ checks: [{ name: 'x', verdict: 'fine' }] }, /f:7: a check has no name, or a verdict that is none/],
    [
      { checks: [{ name: 'x', verdict: 'pass', cause: null, reason: null, required: 'no' }] },
      /f:7: .*a required that is neither true nor false/,
    ],
    [{ kpis: [{ ...good?.kpis[0], median: -1 }] }, /KPI matmul\?.* has no median above 0/],
    [{ kpis: [{ ...good?.kpis[0], on: 'cuda:0' }] }, /is on no device of this node/],
    [{ kpis: [{ ...good?.kpis[0], shape: [1, 2] }] }, /has a shape that is not 17 ascending numbers/],
    [{ kpis: [{ ...good?.kpis[0], on: 'toString' }] }, /is on no device of this node/],
    [{ kpis: [{ ...good?.kpis[0], p05: 0 }] }, /has a p05 that is neither a number above 0 nor null/],
    [{ kpis: [{ ...good?.kpis[0], p05: 2e11 }] }, /has a p05 that lies above its median/],
    [{ kpis: [{ ...good?.kpis[0], cv: -1 }] }, /has a cv that is neither a number from 0 on nor null/],
    [{ kpis: [{ ...good?.kpis[0], unit: null }] }, /has no unit/],
    [{ kpis: [null] }, /f:7: a KPI is no object/],
    [{ devices: { cpu: null } }, /f:7: its device cpu is not described/],
    [{ hardware: { cpu_model: {} } }, /f:7: its hardware are not plain values/],
    [{ problems: [null] }, /f:7: a problem does not say what is wrong/],
    [{ leftOut: { metrics: 3 } }, /f:7: it does not say how many metrics were left out/],
    [{ machine: 3 }, /f:7: its machine is neither a text nor null/],
    [{ node: 'n\u001b[31m' }, /f:7: the name of its node has control characters/],
  ])('that are broken are refused with their place (%#)', (change, message) => {
    expect(() => asNodeLine(broken(change), 'f:7')).toThrow(message);
  });

  it('come from a pipe, too, which has no ending', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'nodes.jsonl');
      writeFileSync(path, healthyNodes(3).map(toLine).join(''));
      const file = openSync(path, 'r');
      expect((await readFleet([`/dev/fd/${file}`])).nodes).toHaveLength(3);
      closeSync(file);
      const other = join(folder, 'nodes.txt');
      writeFileSync(other, healthyNodes(3).map(toLine).join(''));
      await expect(readFleet([other])).rejects.toThrow(
        /nodes\.txt.*node lines are known by their ending, \.jsonl or \.ndjson$/,
      );
    });
  });

  it('are refused where two of them are one measurement, under whatever names', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'nodes.jsonl');
      const digests = ['a', 'b', 'a'].map((digest) => digest.repeat(64));
      const written = (all: readonly (string | null)[]): string => {
        const nodes = healthyNodes(3).map((node, i) => ({ ...node, digest: all[i] ?? null }));
        writeFileSync(path, nodes.map(toLine).join(''));
        return path;
      };
      const twice =
        /^nodes n0 and n2 are one measurement, of record aaaaaaaaaaaa \(.*:1 and .*:3\): give each node/;
      await expect(readFleet([written(digests)])).rejects.toThrow(twice);
      expect(() => readLines([written(digests)])).toThrow(twice);
      // Of other tools no record is known, so nothing can be one.
      expect((await readFleet([written([null, null, null])])).nodes).toHaveLength(3);
    });
  });

  it('are told which line is no JSON, and which node is there twice', async () => {
    await withFolder(async (folder) => {
      const [a, b] = healthyNodes(2);
      const path = join(folder, 'nodes.jsonl');
      writeFileSync(path, `${toLine(a as never)}{"cut": \n`);
      await expect(readFleet([path])).rejects.toThrow(
        /nodes\.jsonl:2 is not JSON: .*; mend or remove that line/,
      );
      writeFileSync(path, `${toLine(a as never)}{"some": "thing"}\n`);
      await expect(readFleet([path])).rejects.toThrow(/nodes\.jsonl:2 is no node/);
      writeFileSync(path, `${toLine(a as never)}${toLine(b as never)}${toLine(a as never)}`);
      await expect(readFleet([path])).rejects.toThrow(
        /node n0 is there twice, .*nodes\.jsonl:1 and .*nodes\.jsonl:3/,
      );
      writeFileSync(path, '');
      await expect(readFleet([path])).rejects.toThrow(/the fleet is empty/);
    });
  });
});

describe('mixed hardware', () => {
  it('is refused with the first difference and who differs', () => {
    const nodes = healthyNodes(4).map((node, i) => ({
      ...node,
      hardware: { cpu_model: i === 2 ? 'other' : 'made-up', sockets: i === 2 ? 1 : 2 },
    }));
    expect(() => refuseMixed(nodes, [])).toThrow(
      /^mixed hardware: cpu_model: "made-up" \(3 nodes, such as n0\), "other" \(n2\); also sockets; give nodes of one kind, or --across cpu_model,sockets$/,
    );
    expect(() => refuseMixed(nodes, ['cpu_model', 'sockets'])).not.toThrow();
  });

  it('is no matter of nodes of which nothing is known', () => {
    expect(() => refuseMixed([...healthyNodes(2), { node: 'lost', hardware: {} }], [])).not.toThrow();
  });
});

describe('nodes of one machine', () => {
  it('are told by its identity, and those that have none are not', () => {
    const nodes = healthyNodes(5).map(({ node }, i) => ({
      node,
      machine: i % 2 === 0 ? 'a' : i === 1 ? 'b' : null,
    }));
    expect(sameMachines(nodes)).toEqual([['n0', 'n2', 'n4']]);
  });
});

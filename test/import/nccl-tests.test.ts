/**
 * What all_reduce_perf and its siblings print, as nodes of a fleet: the layouts as nccl-tests has them, the
 * figures made up.
 */
import { describe, expect, it } from 'vitest';
import { checkFleet } from '../../src/fleet/check.js';
import { asNodeLine, toLine } from '../../src/fleet/node-line.js';
import { fleetOf } from '../../src/fleet/table.js';
import { readNcclTests } from '../../src/import/nccl-tests.js';
import { foundOf } from './support.js';

interface Printed {
  readonly program?: string | null;
  readonly hosts?: readonly string[];
  /** Microseconds of each size. */
  readonly times?: Readonly<Record<number, number>>;
  /** Of 4 ranks, `1.5` of all-reduce. */
  readonly factor?: number;
  readonly named?: string;
  /** Out of place and in place, by size. */
  readonly wrong?: (size: number) => readonly [string, string];
  readonly outOfBounds?: number;
  readonly end?: string;
  readonly label?: string;
}

const FOUR = ['a', 'a', 'a', 'a'];

function printed({
  program = 'all_reduce_perf',
  hosts = FOUR,
  times = { 8: 20.25, 1048576: 31.5 },
  factor = 1.5,
  named = 'float     sum      -1',
  wrong = () => ['0', '0'],
  outOfBounds = 0,
  end = '# Avg bus bandwidth    : 12.3 \n#\n',
  label = '#wrong',
}: Printed = {}): string {
  const figures = (size: number, time: number, count: string): string => {
    const rate = size / time / 1e3;
    return `${time.toFixed(2)}  ${rate.toFixed(2)}  ${(rate * factor).toFixed(2)}  ${count}`;
  };
  return [
    '# nccl-tests version 2.17.6 nccl-headers=1 nccl-library=1',
    ...(program === null ? [] : [`# Collective test starting: ${program}`]),
    '# nThread 1 nGpus 4 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 1 iters: 20 validation: 1',
    '#',
    '# Using devices',
    ...hosts.map(
      (host, i) => `#  Rank  ${i} Group  0 Pid  123 on ${host} device  ${i} [0000:07:00] Made-up GPU`,
    ),
    '#                                      out-of-place                       in-place',
    `#  size  count  type  redop  root  time  algbw  busbw ${label}  time  algbw  busbw ${label}`,
    '#   (B)  (elements)               (us)  (GB/s)  (GB/s)        (us)  (GB/s)  (GB/s)',
    ...Object.entries(times).map(([size, time]) => {
      const [outOf, inPlace] = wrong(Number(size));
      const both = [figures(Number(size), time, outOf), figures(Number(size), time + 1, inPlace)];
      return ['', size, Number(size) / 4, named, ...both].join('  ');
    }),
    `# Out of bounds values : ${outOfBounds} ${outOfBounds > 0 ? 'FAILED' : 'OK'}`,
    end,
  ].join('\n');
}

const read = (files: Readonly<Record<string, string>>) => readNcclTests(foundOf(files));
const only = (text: string, name = 'x.txt') => read({ [name]: text }).nodes[0];

describe('nccl-tests', () => {
  it('has the bus rate of each size out of place and in place, by the factor of our own collectives', () => {
    const node = only(printed());
    const rates = [8 / 20.25e-6, 8 / 21.25e-6, 1048576 / 31.5e-6, 1048576 / 32.5e-6];
    const sizes = [8, 1048576].flatMap((size) => [`${size}/out-of-place`, `${size}/in-place`]);
    expect(node?.kpis.map(({ key, on, unit, better }) => [key, on, unit, better])).toEqual(
      sizes.map((one) => [`nccl-tests/all_reduce/float/sum/${one}`, 'ranks:4', 'B/s', 'higher']),
    );
    node?.kpis.forEach(({ median }, i) => {
      expect(median / ((rates[i] as number) * 1.5)).toBeCloseTo(1, 9);
    });
    expect([node?.node, node?.tool.version, node?.problems]).toEqual(['a', '2.17.6', []]);
    expect(node?.devices).toMatchObject({ 'ranks:4': { kind: 'gpu', name: '4 x Made-up GPU' } });
    expect(node?.checks).toEqual([expect.objectContaining({ verdict: 'pass' })]);
    expect(asNodeLine(JSON.parse(toLine(node as NonNullable<typeof node>)), 'x')).not.toBeNull();
  });

  it('has no score for a wrong answer, and the node is not judged good', () => {
    const text = printed({ wrong: (size) => (size === 8 ? ['0', '3'] : ['0', '0']) });
    const node = only(text);
    expect(node?.kpis.map(({ key }) => key.replace(/^.*sum\//, ''))).toEqual([
      '8/out-of-place',
      '1048576/out-of-place',
      '1048576/in-place',
    ]);
    expect(node?.problems).toEqual([
      {
        kind: 'wrong',
        what: 'all_reduce',
        why: 'nccl-tests counted 1 result with wrong elements, such as 3 of all_reduce/float/sum/8/in-place',
      },
    ]);
    expect(node?.checks).toEqual([]);
    const nodes = ['b', 'c', 'd', 'e'].flatMap(
      (host) => only(printed({ hosts: FOUR.map(() => host) })) ?? [],
    );
    const { outcome, named } = checkFleet(fleetOf([...nodes, ...(node === undefined ? [] : [node])]), {
      scale: 1,
      baseline: null,
    });
    expect([outcome, named.map(({ node: name, cause }) => [name, cause])]).toEqual([
      'fail',
      [['a', 'wrong-result']],
    ]);
  });

  it('has no score at all for values out of bounds of which no row is known', () => {
    const node = only(
      printed({ program: null, label: 'error', outOfBounds: 2, wrong: () => ['4e-07', '2e-01'] }),
      'all_reduce.txt',
    );
    expect([node?.kpis, node?.problems[0]?.kind]).toEqual([[], 'wrong']);
    const well = only(
      printed({ program: null, label: 'error', wrong: () => ['4e-07', '2e-07'] }),
      'all_reduce.txt',
    );
    expect([well?.kpis.length, well?.problems, well?.checks[0]?.verdict]).toEqual([4, [], 'pass']);
  });

  it('is open where nobody looked at results, and leaves out what was not looked at beside what was', () => {
    const open = only(printed({ wrong: () => ['N/A', 'N/A'] }));
    expect([open?.kpis.length, open?.checks.map(({ verdict }) => verdict)]).toEqual([4, ['inconclusive']]);
    const { nodes, unread } = read({
      'x.txt': printed({
        program: './build/alltoall_perf',
        factor: 0.75,
        named: 'float    none      -1',
        wrong: () => ['0', 'N/A'],
      }),
    });
    expect(nodes[0]?.kpis.map(({ key }) => key)).toEqual([
      'nccl-tests/alltoall/float/8/out-of-place',
      'nccl-tests/alltoall/float/1048576/out-of-place',
    ]);
    expect(unread).toEqual([
      { path: 'x.txt', why: expect.stringMatching(/^2 results of alltoall that .* such as/), damaged: false },
    ]);
  });

  it('is lost where it did not come to its end, or where its rates do not follow from its times', () => {
    const [cut, odd, empty] = [printed({ end: '' }), printed({ factor: 1.8 }), printed({ times: {} })].map(
      (text) => only(text),
    );
    expect(cut?.problems).toEqual([
      expect.objectContaining({ kind: 'lost', why: expect.stringMatching(/its end/) }),
    ]);
    expect(cut?.kpis).toHaveLength(4);
    expect(odd?.problems[0]?.why).toMatch(
      /1048576\/out-of-place: a bus rate of 59.92 GB\/s does not follow from its time/,
    );
    expect([odd?.kpis, empty?.problems[0]?.why]).toEqual([[], 'it has no results']);
    expect(
      only(printed({ named: 'float sum -1 one two' }).replaceAll('31.50', 'x'))?.problems[0]?.why,
    ).toMatch(/^a row that its header does not explain: 1048576/);
  });

  it('is open and without KPIs where its end is missing, which alone says whether results are right', () => {
    const parts: Printed = { program: null, label: 'error', end: '', wrong: () => ['4e-07', '2e-01'] };
    const cut = printed(parts).replace(/# Out of bounds.*\n/, '');
    for (const text of [cut, printed(parts)]) {
      const node = only(text, 'all_reduce.txt');
      expect([node?.kpis, node?.problems.map(({ kind }) => kind)]).toEqual([[], ['lost']]);
      expect(node?.checks).toEqual([
        expect.objectContaining({
          verdict: 'inconclusive',
          reason: 'its output ends before it says whether its results are right',
        }),
      ]);
    }
    const notLooked = only(printed({ ...parts, wrong: () => ['N/A', 'N/A'] }), 'all_reduce.txt');
    expect(notLooked?.checks[0]?.reason).toMatch(/-c 0/);
  });

  it('is lost with the error by which it ended, also where it ended before it listed its ranks', () => {
    const error = 'Test CUDA failure common.cu:1005 ’no CUDA-capable device is detected’';
    const failed = `n9: ${error}\n .. n9 pid 3288: Test failure common.cu:891\n`;
    const problem = (what: string) => ({
      node: 'n9',
      kpis: [],
      problems: [{ kind: 'lost', what, why: error }],
    });
    const begun = printed({ hosts: [], times: {}, end: '' }).replace(/# Out of bounds.*/, failed);
    expect(only(begun)).toMatchObject({ ...problem('all_reduce'), devices: {} });
    expect(only(failed)).toMatchObject(problem('nccl-tests'));
    const cut = printed({ end: failed }).replace(/# Out of bounds.*\n/, '');
    const node = only(cut);
    expect([node?.node, node?.kpis.length, node?.problems]).toEqual([
      'a',
      4,
      [{ kind: 'lost', what: 'all_reduce', why: error }],
    ]);
    const good = printed();
    const { nodes } = read({ 'good.txt': good, 'n9.txt': begun });
    expect(nodes.map(({ node: name }) => name)).toEqual(['a', 'n9']);
  });

  it('has the average as a check where a least one was asked for', () => {
    const verdicts = ['OK', 'FAILED'].map((word) => {
      const node = only(printed({ end: `# Avg bus bandwidth    : 12.3 ${word}\n#\n` }));
      return node?.checks.map(({ name, verdict }) => [name, verdict])[1];
    });
    expect(verdicts).toEqual([
      ['nccl-tests/all_reduce average', 'pass'],
      ['nccl-tests/all_reduce average', 'fail'],
    ]);
  });

  it('is one node of several runs, in one file or in several', () => {
    const gather = printed({
      program: 'all_gather_perf',
      factor: 0.75,
      named: 'float  none  -1',
      hosts: FOUR,
    });
    const few = printed({ hosts: ['a', 'a'], factor: 1, times: { 8: 9 } });
    const { nodes } = read({ 'one.txt': `${printed()}\n${gather}`, 'two.txt': few });
    expect(nodes.map(({ node, kpis, checks }) => [node, kpis.length, checks.length])).toEqual([['a', 10, 3]]);
    expect(Object.keys(nodes[0]?.devices ?? {})).toEqual(['ranks:4', 'ranks:2']);
    expect(fleetOf([...nodes]).series).toHaveLength(10);
  });

  it('is called after its folder where its host is localhost, so that nodes do not become one', () => {
    const text = printed({ program: null, hosts: FOUR.map(() => 'localhost') });
    const { nodes } = read({
      'n1/allreduce.log': text,
      'n1/all_reduce_again.log': text,
      'n2/allreduce.log': text,
    });
    expect(nodes.map(({ node, kpis }) => [node, kpis.length])).toEqual([
      ['n1', 8],
      ['n2', 4],
    ]);
    expect(nodes[1]?.kpis[0]?.key).toBe('nccl-tests/all_reduce/float/sum/8/out-of-place');
  });

  it('is refused with the reason where it is of no node or of nothing that is known', () => {
    const good = { 'good.txt': printed() };
    const why = (text: string, name = 'x.txt') =>
      read({ ...good, [name]: text }).unread.map(({ why: one, damaged }) => [one, damaged]);
    expect(why('hello')).toEqual([['no output of nccl-tests', false]]);
    expect(why(printed({ hosts: ['a', 'b'] }))).toEqual([
      ['it ran over a, b, so it is of none of these nodes', true],
    ]);
    expect(why(printed({ hosts: FOUR.map(() => 'localhost') }))[0]?.[0]).toMatch(
      /names no node: put it into a folder/,
    );
    expect(why(printed({ hosts: [] }))[0]?.[0]).toMatch(/does not list its ranks/);
    // A node with one GPU has lost nothing.
    expect(why(printed({ hosts: ['a'] }))).toEqual([
      ['one rank alone uses no bus, so there is no bus rate: measure with two GPUs or more', true],
    ]);
    expect(why(printed({ program: 'hypercube_perf' }), 'all_reduce.txt')[0]?.[0]).toBe(
      'of hypercube_perf no bus rate is known',
    );
    expect(why(printed({ program: 'alltoallv_perf' }))[0]?.[0]).toBe(
      'of alltoallv_perf no bus rate is known',
    );
    expect(why(printed({ program: null }))[0]?.[0]).toMatch(/name the file after its program/);
    expect(why(printed().replaceAll('  time', '  cputime'))[0]?.[0]).toMatch(/those of the CPU/);
    expect(() => read({ 'x.txt': 'hello' })).toThrow(/holds no output of nccl-tests/);
  });

  it('is lost where its program was killed before its first line, or did not start', () => {
    const loader = './all_reduce_perf: error while loading shared libraries: libnccl.so.2: cannot open';
    const { nodes, unread } = read({
      'n1/all_reduce.txt': printed(),
      'n1/all_reduce.err': '',
      'n2/all_reduce.txt': '',
      'n3/all_reduce.txt': loader,
      'notes.txt': 'n2 was drained',
      'n1/done': '',
    });
    expect(nodes.map(({ node, kpis, problems }) => [node, kpis.length, problems])).toEqual([
      ['n2', 0, [{ kind: 'lost', what: 'all_reduce', why: 'its output is empty' }]],
      [
        'n3',
        0,
        [{ kind: 'lost', what: 'all_reduce', why: `it holds no output of nccl-tests, but: ${loader}` }],
      ],
      ['a', 4, []],
    ]);
    expect(unread.map(({ path, damaged }) => [path, damaged])).toEqual([
      ['n1/all_reduce.err', false],
      ['n2/all_reduce.txt', true],
      ['n3/all_reduce.txt', true],
      ['notes.txt', false],
      ['n1/done', false],
    ]);
  });

  it('is not guessed where its file alone says nothing of the node, and is told of all the same', () => {
    const damaged = (files: Readonly<Record<string, string>>) => {
      const { nodes, unread } = read(files);
      return [nodes.map(({ node }) => node), unread.map(({ path, damaged: is }) => [path, is])];
    };
    expect(damaged({ 'n1.txt': printed(), 'n2.txt': '' })).toEqual([['a'], [['n2.txt', true]]]);
    expect(damaged({ 'all_reduce/n1.txt': printed(), 'all_reduce/n2.txt': '' })).toEqual([
      ['a'],
      [['all_reduce/n2.txt', true]],
    ]);
    // Beside another operation of a node it is that node's.
    expect(damaged({ 'n1/all_reduce.txt': printed(), 'n1/all_gather.txt': '' })).toEqual([
      ['a'],
      [['n1/all_gather.txt', true]],
    ]);
  });

  /** Nodes with their problems, and the paths of what could not be imported. */
  const judged = (files: Readonly<Record<string, string>>) => {
    const { nodes, unread } = read(files);
    return {
      nodes: nodes.map(({ node, problems }) => [node, problems.map(({ what }) => what)]),
      damaged: unread.flatMap(({ path, damaged }) => (damaged ? [path] : [])),
    };
  };
  const good = { nodes: [['a', []]], damaged: [] };

  it('is not lost where the first rank alone prints, and the others have files of their own', () => {
    expect(
      judged({
        'out/1/rank.0/stdout': printed({ program: './all_reduce_perf' }),
        'out/1/rank.1/stdout': '',
        'out/1/rank.2/stdout': '',
      }),
    ).toEqual(good);
    // Of two runs the one printed nothing at all: that is said, and its ranks are no nodes.
    expect(
      judged({
        'n1/1/rank.0/stdout': printed(),
        'n2/1/rank.0/stdout': '',
        'n2/1/rank.1/stdout': '',
      }),
    ).toEqual({ ...good, damaged: ['n2/1/rank.0/stdout', 'n2/1/rank.1/stdout'] });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['scripts', { 'n1/run_all_reduce.sh': '#!/bin/bash\n./all_reduce_perf || echo failed\n' }],
    ['notes', { 'n1/gather-notes.md': 'the first one failed', 'n1/scatter.txt': 'see n2' }],
    ['batch jobs and pictures', { 'scripts/all_reduce.sbatch': '#SBATCH -N 1', 'plots/all_reduce.png': '' }],
    ['sources', { 'nccl-tests/src/all_reduce.cu': '/* error */', 'nccl-tests/src/all_reduce.o': '' }],
    ['lists of hosts', { 'n1/hosts.txt': '' }],
  ])('is not lost because of %s beside its output', (_, others) => {
    expect(judged({ 'n1/all_reduce.txt': printed(), ...others })).toEqual(good);
  });

  it('is not lost because of what is empty and not called as outputs are', () => {
    const bare = { 'n1/all_reduce': printed(), '.gitkeep': '', 'n1/done': '', 'n1/SUCCESS': '' };
    expect(judged({ ...bare, 'n1/run_all_reduce': '#!/bin/sh\nexit 1 # failed\n' })).toEqual(good);
    const [one, other] = ['a', 'b'].map((host) => printed({ hosts: FOUR.map(() => host) }));
    const nodes = [
      ['a', []],
      ['b', []],
    ];
    expect(judged({ 'n1.txt': one ?? '', 'n2.txt': other ?? '', 'hosts.txt': '' })).toEqual({
      nodes,
      damaged: [],
    });
    // Names with nothing in common tell of none that it is another thing.
    expect(judged({ 'alpha.txt': one ?? '', 'beta.txt': other ?? '', 'gamma.txt': '' })).toEqual({
      nodes,
      damaged: ['gamma.txt'],
    });
  });

  it('is not lost beside its own output of the same operation, of which another file says nothing', () => {
    expect(judged({ 'n1/all_reduce.txt': printed(), 'n1/all_reduce-again.txt': '' })).toEqual({
      ...good,
      damaged: ['n1/all_reduce-again.txt'],
    });
  });

  it('is lost where a folder’s file says only that its program did not start, and told of where it says something else', () => {
    const files = { 'n1/out.txt': printed(), 'n2/out.txt': 'ssh: connect to host n2: Connection refused' };
    expect(judged({ ...files, 'n3/out.txt': 'see n2' })).toEqual({
      nodes: [
        ['n2', ['nccl-tests']],
        ['a', []],
      ],
      damaged: ['n2/out.txt', 'n3/out.txt'],
    });
  });
});

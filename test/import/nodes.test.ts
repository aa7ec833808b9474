/** SuperBench's summaries, both ways, and what dcgmi diag -j prints, as nodes of a fleet. */
import { describe, expect, it } from 'vitest';
import { checkFleet } from '../../src/fleet/check.js';
import {
  asNodeLine,
  type CheckVerdict,
  type NodeCheck,
  type NodeLine,
  type NodeProblem,
  toLine,
} from '../../src/fleet/node-line.js';
import { fleetOf } from '../../src/fleet/table.js';
import { worstOfEach } from '../../src/import/dcgm/iterations.js';
import { dcgmNode } from '../../src/import/dcgm.js';
import { readDcgm, readSuperbench } from '../../src/import/nodes.js';
import { leftOutText, superbenchNode, toSuperbench } from '../../src/import/superbench.js';
import { healthyNodes, kpiOf, nodeOf } from '../fleet/support.js';
import { foundOf } from './support.js';

const summary = (node: string, bandwidth: number) => ({
  node,
  'kernel-launch/event_time:0': 0.006,
  'mem-bw/h2d_bw:0': bandwidth,
  'mem-bw/h2d_bw:1': 25.1,
  'mem-bw/return_code': 0,
  'monitor/gpu_temperature:0': 60,
  'gemm-flops/mystery': 3,
});

/** What is to be done about each node of a fleet. */
const actionsOf = (nodes: readonly (NodeLine | null)[]): readonly string[] =>
  checkFleet(fleetOf(nodes.flatMap((node) => node ?? [])), { scale: 1, baseline: null }).named.map(
    ({ action }) => action,
  );

describe('what is to be done about a node that another tool measured', () => {
  const lost = superbenchNode({ ...summary('a', 25), 'mem-bw/return_code': 3 });
  const diagnosed = (status: string) =>
    dcgmNode(
      JSON.stringify({
        'DCGM Diagnostic': {
          test_categories: [{ tests: [{ name: 'Memory', results: [{ gpu_ids: '0', status }] }] }],
        },
      }),
      'n1',
    );

  it.each<[string, NodeLine | null, RegExp]>([
    ['what SuperBench lost', lost, /^see in what superbench wrote on that node why .* import/],
    ['a check of DCGM that failed', diagnosed('Fail'), /^follow what dcgm says of that check, .* import/],
    ['one that is open', diagnosed('Odd'), /^see in what dcgm wrote on that node why that check .* import/],
  ])('asks for nothing that an import does not have, after %s', (_, node, action) => {
    const [first, ...others] = actionsOf([node]);
    expect(others).toEqual([]);
    expect(first).toMatch(action);
    expect(first).not.toMatch(/journal|resume|pi-bench show/);
  });

  it('is what it always was where pi-bench measured it', () => {
    const own = nodeOf('own', [], { problems: [{ kind: 'lost', what: 'launch 1', why: 'crashed' }] });
    expect(actionsOf([own])[0]).toMatch(/pi-bench resume/);
  });
});

describe('SuperBench’s summary', () => {
  it('is read with the directions that its names tell, without what they do not tell', () => {
    const node = superbenchNode(summary('sb-01', 25));
    expect(node?.kpis.map(({ key, on, better, median }) => [key, on, better, median])).toEqual([
      ['superbench/kernel-launch/event_time', 'rank:0', 'lower', 0.006],
      ['superbench/mem-bw/h2d_bw', 'rank:0', 'higher', 25],
      ['superbench/mem-bw/h2d_bw', 'rank:1', 'higher', 25.1],
    ]);
    expect(node?.problems).toEqual([]);
    expect(superbenchNode({ ...summary('a', 1), 'mem-bw/return_code': 3 })?.problems[0]?.why).toMatch(
      /code is 3/,
    );
    expect(superbenchNode({ node: 'a' })).toBeNull();
  });

  it('is judged as a fleet: the slow rank of one node is named', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name, i) =>
      superbenchNode(summary(name, i === 3 ? 20 : 25 + 0.01 * i)),
    );
    const { named } = checkFleet(fleetOf(nodes.flatMap((node) => node ?? [])), { scale: 1, baseline: null });
    expect(named.map(({ node, on }) => [node, on])).toEqual([['d', ['rank:0']]]);
  });

  it('is written so that what is read back has our medians', () => {
    const [node] = healthyNodes(1, 2);
    const line = toSuperbench(node as NonNullable<typeof node>);
    const flat = JSON.parse(line) as Record<string, unknown>;
    expect(flat.node).toBe('n0');
    expect(flat['pi-bench/return_code']).toBe(0);
    for (const name of Object.keys(flat).filter((one) => one !== 'node')) {
      expect(name).toMatch(/^[\w.=:-]+(\/[\w.=-]+)+(:\d+)?$/);
    }
    const read = superbenchNode(flat);
    expect(read?.kpis.map(({ median }) => median)).toEqual(node?.kpis.map(({ median }) => median));
  });

  it('has of a KPI that a node has twice the worse, in whichever order', () => {
    const written = (better: 'higher' | 'lower', values: readonly number[]) => {
      const kpis = values.map((median) =>
        kpiOf([1], { key: 'superbench/m/bw', on: 'rank:0', better, median }),
      );
      return (JSON.parse(toSuperbench(nodeOf('a', kpis))) as Record<string, unknown>)['m/bw:0'];
    };
    expect([written('higher', [10, 20]), written('higher', [20, 10])]).toEqual([10, 10]);
    expect([written('lower', [10, 20]), written('lower', [20, 10])]).toEqual([20, 20]);
  });

  it('has the return code 1 for what was lost, wrong or failed, and none for what could not be judged', () => {
    const returnCode = (more: Parameters<typeof nodeOf>[2]) =>
      (JSON.parse(toSuperbench(nodeOf('a', [], more))) as Record<string, unknown>)['pi-bench/return_code'];
    const check = (verdict: CheckVerdict): NodeCheck => {
      return { name: 'speed', verdict, cause: null, reason: null, seconds: null };
    };
    const problem = (kind: NodeProblem['kind']): NodeProblem => ({ kind, what: 'matmul', why: 'a test’s' });
    expect(returnCode({ problems: [problem('lost')] })).toBe(1);
    expect(returnCode({ problems: [problem('wrong')] })).toBe(1);
    expect(returnCode({ checks: [check('pass'), check('fail')] })).toBe(1);
    expect(returnCode({ problems: [problem('lost')], checks: [check('fail')] })).toBe(1);
    expect(returnCode({ checks: [check('pass'), check('warn')] })).toBe(0);
    expect(returnCode({ checks: [check('inconclusive')] })).toBe(0);
  });

  it('knows the directions of bus rates, of training steps and of our own rates', () => {
    const node = superbenchNode({
      node: 'a',
      'nccl-bw:nvlink/allreduce_8388608_busbw:0': 300,
      'nccl-bw:nvlink/allreduce_8388608_algbw:0': 200,
      'nccl-bw:nvlink/allreduce_8388608_time:0': 5,
      'model-benchmarks:gpt/steptime_train_float16:0': 40,
      'model-benchmarks:gpt/throughput_train_float16:0': 9,
      'pi-bench-memory:bytes=1024_embedded/pibench_memory_rate_bytes_per_second': 1e10,
      'pi-bench-collective:bytes=1024_nccl/pibench_collective_bus_rate_bytes_per_second': 1e10,
    });
    expect(node?.kpis.map(({ better }) => better)).toEqual([
      ...['higher', 'higher', 'lower', 'lower', 'higher'],
      ...['higher', 'higher'],
    ]);
    expect(node?.leftOut).toBeUndefined();
  });

  it('says how many metrics it has no use for, and one of them', () => {
    const [few, more] = [summary('a', 1), { ...summary('b', 0), 'gemm-flops/riddle:1': 4 }];
    const [first, second] = [superbenchNode(few), superbenchNode(more)];
    expect(first?.leftOut).toEqual({ metrics: 2, example: 'monitor/gpu_temperature:0' });
    expect(second?.leftOut?.metrics).toBe(4);
    expect(leftOutText([first, second].flatMap((node) => node ?? []))).toBe(
      'up to 4 metrics of each of 2 nodes (such as mem-bw/h2d_bw:0): no name that tells what is better, no value above 0, or a reading of the machine',
    );
    const readings = { 'monitor/gpu_uncorrected_ecc:0': 0, 'gpu-burn/time': 900, 'a/loss': null };
    expect(superbenchNode({ node: 'c', ...readings })).toMatchObject({ kpis: [], leftOut: { metrics: 3 } });
    expect(leftOutText(healthyNodes(2))).toBeNull();
    const { unread } = readSuperbench(foundOf({ 'x.jsonl': `${JSON.stringify(few)}\n` }));
    expect(unread).toEqual([
      { path: 'x.jsonl', why: expect.stringMatching(/^2 metrics of a node \(such as/), damaged: false },
    ]);
    expect(asNodeLine(JSON.parse(toLine(first as NonNullable<typeof first>)), 'x')?.leftOut?.metrics).toBe(2);
  });

  const healthy = {
    'gpu-burn/time': 900,
    'gpu-burn/gpu_0_pass': 1,
    'gpu-burn/gpu_1_pass': 1,
    'gpu-burn/abort': 0,
    'gpu-burn/return_code': 0,
    'cpu-hpl:small/0/tests_pass': 1,
    'cpu-hpl:small/0/throughput': 40,
    'cpu-hpl:small/0/time': 9,
    'cpu-hpl:small/1/tests_pass': 1,
    'cpu-hpl:small/1/throughput': 41,
    'cpu-hpl:small/return_code': 0,
    'cpu-hpl:large/throughput': 50,
    'cublas-function/name_cublassgemm_m_8_time:1': 3,
    'cublas-function/name_cublassgemm_m_8_correctness:1': 1,
    'gpu-hpcg/final_bandwidth': 60,
    'gpu-hpcg/is_valid': 1,
    'nvbandwidth/abort': 0,
    'tcp-connectivity/10.0.0.2_failed_count': 0,
    'tcp-connectivity/10.0.0.2_time_avg': 0.2,
  };

  it.each<[string, number, NodeProblem['kind'], string, RegExp | null]>([
    ['gpu-burn/gpu_1_pass', 0, 'wrong', 'gpu-burn', null],
    ['cpu-hpl:small/1/tests_pass', 0, 'wrong', 'cpu-hpl:small', /^superbench\/cpu-hpl:small\//],
    ['cublas-function/name_cublassgemm_m_8_correctness:1', 0, 'wrong', 'cublas-function', /cublas/],
    ['gpu-hpcg/is_valid', 0, 'lost', 'gpu-hpcg', /hpcg/],
    ['gpu-burn/abort', 1, 'lost', 'gpu-burn', null],
    ['nvbandwidth/abort', 1, 'lost', 'nvbandwidth', null],
    ['tcp-connectivity/10.0.0.2_failed_count', 2, 'lost', 'tcp-connectivity', null],
  ])('has no score for what %s = %d says, whatever its return code', (name, value, kind, what, spoilt) => {
    const keys = (node: NodeLine | null) => node?.kpis.map(({ key }) => key) ?? [];
    const well = superbenchNode({ node: 'a', ...healthy });
    const node = superbenchNode({ node: 'a', ...healthy, [name]: value });
    expect([well?.problems, well?.leftOut?.metrics]).toEqual([[], 1]);
    expect(node?.problems).toEqual([
      { kind, what, why: `SuperBench’s ${name.slice(name.lastIndexOf('/') + 1)} is ${value}` },
    ]);
    expect(keys(well)).toHaveLength(7);
    expect(keys(node)).toEqual(keys(well).filter((key) => spoilt === null || !spoilt.test(key)));
  });

  it('is judged as a fleet: a node that computed wrong results fails, however fast it was', () => {
    const nodes = Array.from({ length: 16 }, (_, i) =>
      superbenchNode({
        node: `n${i}`,
        ...healthy,
        ...(i === 3 ? { 'gpu-burn/gpu_1_pass': 0, 'cpu-hpl:small/0/tests_pass': 0 } : {}),
      }),
    );
    const { outcome, named } = checkFleet(fleetOf(nodes.flatMap((node) => node ?? [])), {
      scale: 1,
      baseline: null,
    });
    expect(outcome).toBe('fail');
    expect(named).toEqual([
      expect.objectContaining({
        node: 'n3',
        cause: 'wrong-result',
        reason: expect.stringContaining('gpu-burn: SuperBench’s gpu_1_pass is 0'),
      }),
    ]);
  });

  it('is judged as a fleet: a rate of 0 is lost where others have one', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name, i) => superbenchNode(summary(name, i === 3 ? 0 : 25)));
    const { named } = checkFleet(fleetOf(nodes.flatMap((node) => node ?? [])), { scale: 1, baseline: null });
    expect(named.map(({ node, cause }) => [node, cause])).toEqual([['d', 'lost']]);
  });

  it('says which line is damaged', () => {
    const found = foundOf({ 'results-summary.jsonl': `${JSON.stringify(summary('a', 1))}\n{"node": \n` });
    const { nodes, unread } = readSuperbench(found);
    expect(nodes).toHaveLength(1);
    expect(unread.filter(({ damaged }) => damaged)).toMatchObject([{ path: 'results-summary.jsonl:2' }]);
    expect(() => readSuperbench(foundOf({ 'x.jsonl': '' }))).toThrow(/holds no results-summary/);
  });
});

/** The layouts as DCGM's own schema and tests describe them; the figures are made up. */
const DCGM4 = {
  'DCGM Diagnostic': {
    test_categories: [
      {
        category: 'Deployment',
        tests: [
          {
            name: 'software',
            results: [{ entity_group: 'GPU', entity_group_id: 1, entity_id: 0, status: 'Pass' }],
            test_summary: { status: 'Pass' },
          },
        ],
      },
      {
        category: 'Hardware',
        tests: [
          {
            name: 'memory',
            results: [
              {
                entity_group: 'GPU',
                entity_group_id: 1,
                entity_id: 0,
                status: 'Skip',
                info: ['not supported'],
              },
              {
                entity_group: 'GPU',
                entity_group_id: 1,
                entity_id: 1,
                status: 'Fail',
                warnings: [{ warning: 'made-up fault', error_id: 7, error_category: 1, error_severity: 2 }],
              },
              { entity_group: 'GPU', entity_group_id: 1, entity_id: 2, status: 'Not Run' },
            ],
            test_summary: { status: 'Fail' },
          },
        ],
      },
    ],
  },
  metadata: { version: '4.6.0' },
};

describe('dcgmi diag -j', () => {
  it('of a form that is not known here is a node that was not judged, and not none', () => {
    const odd = {
      'DCGM Diagnostic': { test_categories: [{ tests: [{ name: 'memory', results: 'Fail' }] }] },
    };
    expect(dcgmNode(JSON.stringify(odd), 'n2')?.checks).toEqual([
      expect.objectContaining({
        verdict: 'inconclusive',
        reason: expect.stringMatching(/a form that pi-bench does not know: DCGM Diagnostic\.test_categories/),
      }),
    ]);
    expect(dcgmNode('{"something": "else"}', 'n3')).toBeNull();
  });

  it('reads a fault whose number is a text', () => {
    const warnings = [{ warning: 'ECC', error_id: '7' }];
    const output = {
      'DCGM Diagnostic': {
        test_categories: [{ tests: [{ name: 'memory', results: [{ status: 'Fail', warnings }] }] }],
      },
    };
    expect(dcgmNode(JSON.stringify(output), 'n2')?.checks).toEqual([
      expect.objectContaining({ verdict: 'fail', reason: 'ECC (error 7)' }),
    ]);
  });

  it('becomes checks, of which only a pass is a pass', () => {
    const node = dcgmNode(JSON.stringify(DCGM4), 'n1');
    expect(node?.checks.map(({ name, verdict, reason }) => [name, verdict, reason])).toEqual([
      ['dcgm/software@gpu 0', 'pass', null],
      ['dcgm/memory@gpu 0', 'skipped', 'not supported'],
      ['dcgm/memory@gpu 1', 'fail', 'made-up fault (error 7, severity isolate)'],
      ['dcgm/memory@gpu 2', 'inconclusive', 'DCGM says Not Run'],
    ]);
    expect(node?.tool.version).toBe('4.6.0');
    const { named } = checkFleet(fleetOf(node === null ? [] : [node]), { scale: 1, baseline: null });
    expect(named.map(({ node: name, cause }) => [name, cause])).toEqual([['n1', 'failed-check']]);
  });

  it('is read in the layout of DCGM 3.3: a GPU each, and deployment tests with faults of one or of several', () => {
    const error = { error_id: 82, error_category: 1, error_severity: 2 };
    const remap = (gpu: number) => ({ warnings: `made-up fault of GPU ${gpu}`, ...error });
    const deployed = (name: string, result: object) => ({ name, results: [result] });
    const printed = {
      'DCGM GPU Diagnostic': {
        test_categories: [
          {
            category: 'Deployment',
            tests: [
              deployed('Denylist', { status: 'Pass' }),
              deployed('Row Remap', { gpu_id: 1, status: 'Fail', warnings: [remap(1)] }),
              deployed('Inforom', { gpu_id: 1, status: 'Fail', warnings: [remap(0), null, remap(1)] }),
              deployed('NVML Library', { gpu_id: -1, status: 'Fail', warnings: [remap(7)] }),
            ],
          },
          {
            category: 'Hardware',
            tests: [
              {
                name: 'GPU Memory',
                results: [
                  { gpu_id: '0', info: 'made-up allocation', status: 'Pass' },
                  { gpu_id: '1', status: 'Fail', warnings: [{ warning: 'made-up fault', ...error }] },
                  { gpu_id: '2', status: 'Pass' },
                ],
              },
              { name: 'CPU EUD', results: [{ cpu_id: '0', status: 'Pass' }] },
            ],
          },
        ],
      },
      'Driver Version Detected': '1.2.3',
      'GPU Device IDs': ['0001', '0001', '0001'],
      'GPU Device Serials': { 0: '10', 1: '11', 2: '12' },
      version: '3.3.1',
    };
    const node = dcgmNode(JSON.stringify(printed, null, 3), 'n1');
    const fault = (text: string) => `${text} (error 82, severity isolate)`;
    const of = (gpu: number) => fault(`made-up fault of GPU ${gpu}`);
    expect(node?.checks.map(({ name, verdict, reason }) => [name, verdict, reason])).toEqual([
      ['dcgm/Denylist', 'pass', null],
      ['dcgm/Row Remap@gpu 1', 'fail', of(1)],
      ['dcgm/Inforom', 'fail', `${of(0)}; ${of(1)}`],
      ['dcgm/NVML Library', 'fail', of(7)],
      ['dcgm/GPU Memory@gpu 0', 'pass', null],
      ['dcgm/GPU Memory@gpu 1', 'fail', fault('made-up fault')],
      ['dcgm/GPU Memory@gpu 2', 'pass', null],
      ['dcgm/CPU EUD@cpu 0', 'pass', null],
    ]);
    expect(node?.tool.version).toBe('3.3.1');
  });

  it('is read in the layout of DCGM 3.3.1, whose deployment tests have a result for each fault and one status', () => {
    const faults = [
      { status: 'Fail', warnings: 'made-up', error_id: 82, error_severity: 6 },
      { warnings: 'another', error_id: 83, error_severity: 2 },
    ];
    const tests = [{ name: 'Row Remap', results: faults }];
    const text = JSON.stringify({ 'DCGM GPU Diagnostic': { test_categories: [{ tests }] } });
    expect(dcgmNode(text, 'n1')?.checks).toEqual([
      expect.objectContaining({ verdict: 'fail', reason: 'made-up (error 82, severity reset)' }),
      expect.objectContaining({ verdict: 'fail', reason: 'another (error 83, severity isolate)' }),
    ]);
  });

  describe('of several iterations', () => {
    const iteration = (status: string, more: object = {}) => ({
      'DCGM Diagnostic': {
        test_categories: [
          {
            category: 'Hardware',
            tests: [
              { name: 'memory', results: [{ entity_group: 'GPU', entity_id: 0, status, ...more }] },
              {
                name: 'eud',
                results: [{ entity_group: 'GPU', entity_id: 0, status: 'Skip', info: ['none'] }],
              },
            ],
          },
        ],
      },
      metadata: { version: '4.6.0' },
    });
    const checksOf = (...documents: object[]) =>
      dcgmNode(documents.map((one) => JSON.stringify(one, null, '\t')).join('\n'), 'n1')?.checks.map(
        ({ name, verdict, reason }) => [name, verdict, reason],
      );
    const skipped = ['dcgm/eud@gpu 0', 'skipped', 'none'];
    const pass = iteration('Pass');

    it('passes what passed in each', () => {
      const all = { iterations: [pass, pass, pass], 'Overall Result': 'Pass' };
      expect(checksOf(all)).toEqual([['dcgm/memory@gpu 0', 'pass', null], skipped]);
      expect(dcgmNode(JSON.stringify(all), 'n1')?.tool.version).toBe('4.6.0');
    });

    it('fails what failed in one, and says in which', () => {
      const failed = iteration('Fail', { warnings: [{ warning: 'made-up' }] });
      expect(checksOf({ iterations: [pass, failed], 'Overall Result': 'Fail', warning: 'x' })).toEqual([
        ['dcgm/memory@gpu 0', 'fail', 'in iteration 2 of 2: made-up'],
        skipped,
      ]);
    });

    it('is open where it was not judged in one, and says in which; a whole test is told of by its entities', () => {
      const skips = iteration('Skip', { info: ['busy'] });
      expect(checksOf({ iterations: [pass, skips], 'Overall Result': 'Pass' })).toEqual([
        ['dcgm/memory@gpu 0', 'inconclusive', 'in iteration 2 of 2: skipped: busy'],
        skipped,
      ]);
      expect(checksOf({ iterations: [pass, null, pass], 'Overall Result': 'Pass' })).toEqual([
        ['dcgm/memory@gpu 0', 'inconclusive', 'in iteration 2 of 3: no result of it'],
        ['dcgm/eud@gpu 0', 'skipped', 'in iterations 1, 3 of 3: none'],
        ['dcgm', 'inconclusive', 'in iteration 2 of 3: DCGM reports no result of any test'],
      ]);
      const check = (verdict: CheckVerdict, reason: string | null = null, name = 'm'): NodeCheck => ({
        name,
        verdict,
        cause: null,
        reason,
        seconds: null,
      });
      const [warns, passes] = [check('warn', 'hot'), check('pass')];
      expect(worstOfEach([[passes], []])).toEqual([
        check('inconclusive', 'in iteration 2 of 2: no result of it'),
      ]);
      expect(worstOfEach([[warns], [check('skipped')]])).toEqual([
        check('inconclusive', 'in iteration 1 of 2: hot; in iteration 2 of 2: skipped'),
      ]);
      const entity = check('pass', null, 'm@gpu 0');
      expect(worstOfEach([[entity, warns], [entity]])).toEqual([
        entity,
        check('warn', 'in iteration 1 of 2: hot'),
      ]);
      const skippedEntity = check('skipped', null, 'm@gpu 0');
      expect(worstOfEach([[skippedEntity, passes], [skippedEntity]])[1]).toEqual(
        check('inconclusive', 'in iteration 2 of 2: no result of it'),
      );
      expect(worstOfEach([[check('fail', 'x')], [check('skipped')]])).toEqual([
        check('fail', 'in iteration 1 of 2: x'),
      ]);
    });

    it('tells all reasons, each with its iterations, however many checks of one name there are', () => {
      const two = {
        'DCGM Diagnostic': {
          test_categories: [
            {
              category: 'Hardware',
              tests: [
                {
                  name: 'memory',
                  results: ['made-up', 'another'].map((warning) => ({
                    entity_group: 'GPU',
                    entity_id: 0,
                    status: 'Fail',
                    warnings: [{ warning }],
                  })),
                },
              ],
            },
          ],
        },
      };
      const failed = (warning: string) => iteration('Fail', { warnings: [{ warning }] });
      const reasonOf = (...iterations: object[]) =>
        checksOf({ iterations, 'Overall Result': 'Fail' })?.[0]?.slice(1);
      expect(reasonOf(two, pass)).toEqual([
        'fail',
        'in iteration 1 of 2: made-up; in iteration 1 of 2: another',
      ]);
      expect(reasonOf(two, failed('made-up'))).toEqual(['fail', 'made-up; in iteration 1 of 2: another']);
      expect(reasonOf(failed('x'), failed('x'))).toEqual(['fail', 'x']);
    });

    it('is open where DCGM ended them for another reason, which it prints before them', () => {
      const failure = { 'DCGM Diagnostic': { version: '4.6.0', runtime_error: 'no host engine' } };
      const end = { 'Overall Result': 'Fail', warning: 'made-up end' };
      const ended = ['dcgm/iterations', 'inconclusive', 'DCGM says Fail: made-up end'];
      expect(checksOf(failure, { iterations: [pass, pass], ...end })).toEqual([
        ['dcgm', 'inconclusive', 'no host engine'],
        ['dcgm/memory@gpu 0', 'pass', null],
        skipped,
        ended,
      ]);
      expect(checksOf({ iterations: [null], ...end })).toEqual([
        ['dcgm', 'inconclusive', 'DCGM reports no result of any test'],
        ended,
      ]);
    });

    it('of a form that is not known here is a node that was not judged, and not none', () => {
      const { nodes, unread } = readDcgm(
        foundOf({ 'n1.json': '{"Overall Result": "Pass", "iterations": 3}' }),
      );
      expect(nodes.map(({ node, checks }) => [node, checks[0]?.verdict])).toEqual([['n1', 'inconclusive']]);
      expect(unread).toEqual([]);
      expect(checksOf({ 'Overall Result': 'Pass' })).toEqual([
        ['dcgm', 'inconclusive', 'DCGM reports no result of any test'],
      ]);
    });
  });

  it('that is cut off, or no JSON but an error, is a node that was not judged; of such files alone there is no fleet', () => {
    const files = {
      'n1.json': JSON.stringify(DCGM4),
      'n2.json': JSON.stringify(DCGM4).slice(0, 90),
      'n3.json': 'Error: Unable to establish a connection',
      'notes.txt': 'two nodes are down',
    };
    const { nodes, unread } = readDcgm(foundOf(files));
    expect(nodes.map(({ node, checks }) => [node, checks[0]?.verdict])).toEqual([
      ['n1', 'pass'],
      ['n2', 'inconclusive'],
      ['n3', 'inconclusive'],
    ]);
    expect(nodes[2]?.checks[0]?.reason).toMatch(/^its output is not JSON, or cut off/);
    expect(unread.map(({ path, damaged }) => [path, damaged])).toEqual([
      ['n2.json', true],
      ['n3.json', true],
      ['notes.txt', true],
    ]);
    const { 'n1.json': _, ...broken } = files;
    expect(() => readDcgm(foundOf(broken))).toThrow(/holds no output of dcgmi diag -j/);
  });

  it('is read in the layout up to DCGM 3.2, with a warning before the JSON and nulls among the tests', () => {
    const old = {
      'DCGM GPU Diagnostic': {
        test_categories: [
          {
            category: 'Deployment',
            tests: [{ name: 'Denylist', results: [{ gpu_ids: '0,1', status: 'PASS' }] }, null],
          },
          {
            category: 'Stress',
            tests: [{ name: 'SM Stress', results: [{ gpu_ids: '1', status: 'WARN', warnings: 'hot' }] }],
          },
        ],
      },
    };
    const node = dcgmNode(`WARNING: something\n${JSON.stringify(old)}\n`, 'n1');
    expect(node?.checks.map(({ name, verdict, reason }) => [name, verdict, reason])).toEqual([
      ['dcgm/Denylist@gpu 0,1', 'pass', null],
      ['dcgm/SM Stress@gpu 1', 'warn', 'hot'],
    ]);
  });

  it('tells what belongs to no entity, and a test that did not run', () => {
    const warnings = [{ warning: 'made-up fault of the whole', error_id: 9, error_severity: 2 }];
    const node = (...tests: object[]) =>
      dcgmNode(
        JSON.stringify({ 'DCGM Diagnostic': { test_categories: [{ category: 'All', tests }] } }),
        'n1',
      );
    const gpu = (status: string) => ({ entity_group: 'GPU', entity_id: 0, status });
    const checks = (...tests: object[]) =>
      node(...tests)?.checks.map(({ name, verdict, reason }) => [name, verdict, reason]);
    const fault = 'made-up fault of the whole (error 9, severity isolate)';
    const summary = { status: 'Fail', warnings };
    expect(checks({ name: 'memory', results: [], test_summary: summary })).toEqual([
      ['dcgm/memory', 'fail', fault],
    ]);
    expect(checks({ name: 'memory', results: [gpu('Pass')], test_summary: summary })).toEqual([
      ['dcgm/memory@gpu 0', 'pass', null],
      ['dcgm/memory', 'fail', fault],
    ]);
    // It says nothing that its results do not say.
    const alike = { name: 'memory', results: [gpu('Pass'), gpu('Skip')], test_summary: { status: 'Pass' } };
    expect(checks(alike)).toHaveLength(2);
    const software = { name: 'software', results: [gpu('Pass')], test_summary: { status: 'Pass' } };
    expect(checks(software, { name: 'memory' })).toEqual([
      ['dcgm/software@gpu 0', 'pass', null],
      ['dcgm/memory', 'inconclusive', 'DCGM reports no result of it: it did not run'],
    ]);
    const verdicts = [{ name: 'memory', test_summary: summary }, { name: 'memory' }].map((one) => {
      const { named } = checkFleet(fleetOf([node(software, one) ?? []].flat()), { scale: 1, baseline: null });
      return named.map(({ cause, verdict }) => [cause, verdict]);
    });
    expect(verdicts).toEqual([[['failed-check', 'fail']], [['open-check', 'inconclusive']]]);
  });

  it('is no pass where nothing ran', () => {
    const none = dcgmNode(JSON.stringify({ 'DCGM Diagnostic': {} }), 'n1');
    expect(none?.checks.map(({ verdict }) => verdict)).toEqual(['inconclusive']);
    const failed = dcgmNode(JSON.stringify({ 'DCGM Diagnostic': { runtime_error: 'no host engine' } }), 'n1');
    expect(failed?.checks.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['inconclusive', 'no host engine'],
    ]);
    expect(dcgmNode('{"other": 1}', 'n1')).toBeNull();
  });

  it('is named by its file, or by its folder where all files have one name', () => {
    const text = JSON.stringify(DCGM4);
    const names = (files: Record<string, string>) => readDcgm(foundOf(files)).nodes.map(({ node }) => node);
    expect(names({ 'n1.json': text, 'n2.json': text })).toEqual(['n1', 'n2']);
    expect(names({ 'n1/diag.json': text, 'n2/diag.json': text })).toEqual(['n1', 'n2']);
    // In no folder it has no other name than its own.
    expect(names({ 'dcgm.json': text, 'n1/dcgm.json': text })).toEqual(['dcgm', 'n1']);
    const { unread } = readDcgm(foundOf({ 'a.json': text, 'b.json': '{"cut' }));
    expect(unread).toMatchObject([{ path: 'b.json', damaged: true }]);
  });
});

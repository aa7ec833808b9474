import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withFiles, withNodeName, withOut } from '../../src/submit/on-node.js';
import {
  type Delivery,
  deliveryIn,
  deliveryLines,
  ownTarget,
  parseTask,
  type Task,
  taskArguments,
} from '../../src/submit/task.js';
import { withFolder } from '../support/pi-bench.js';

const TASK: Task = {
  command: ['run', 'campaign.yaml', '--labels', 'site=a b,note=it\'s "quoted"'],
  cwd: '/home/user',
  folder: '/home/user/results/x',
  token: 'secret',
  target: 'n1',
  attempt: 2,
  files: { 'campaign.yaml': 'measure:\n  - indicator: matmul\n' },
  mostBytes: 1000,
};

const DELIVERY: Delivery = {
  target: 'n1',
  attempt: 1,
  node: 'n1',
  exitCode: 0,
  campaign: '20261121T000000Z-matmul-aaaaaa',
  said: null,
  leftBehind: null,
  files: { 'record.json': Buffer.from('x'.repeat(5000)).toString('base64') },
};

const withRandom = (bytes: Uint8Array): Delivery => ({
  ...DELIVERY,
  files: { 'inspections/0.npz': Buffer.from(bytes).toString('base64') },
});

describe('a task', () => {
  it('comes through a command line as it was', () => {
    const [command, text = ''] = taskArguments(TASK);
    expect(command).toBe('on-node');
    expect(parseTask(text)).toEqual(TASK);
  });

  it('that is none is refused in one line that says who gives it', () => {
    expect(() => parseTask('{}')).toThrow(/on-node takes what `pi-bench submit` gives it/);
  });

  it('that several are told is each one’s own by the scheduler’s word', () => {
    const common = { ...TASK, targets: ['n4', 'n5'] };
    expect(ownTarget(common, { PI_BENCH_INDEX: '1' })).toBe('n5');
    expect(ownTarget(common, { PI_BENCH_TARGET: 'n9' })).toBe('n9');
    expect(ownTarget(TASK, {})).toBe('n1');
  });
});

describe('the folder of a node’s results', () => {
  it.each([
    ['matmul --size 64', 'matmul --size 64 --out /out'],
    ['explore stacks.yaml -- --size 64', 'explore stacks.yaml --out /out -- --size 64'],
    ['explore stacks.yaml --', 'explore stacks.yaml --out /out --'],
  ])('%s: is told the command, and not what explore is to measure', (command, words) => {
    expect(withOut(command.split(' '), '/out').join(' ')).toBe(words);
  });
});

describe('files that a command names', () => {
  it('are each what was sent, where two have one name and where the node has another of that name', () =>
    withFolder(async (cwd) => {
      const files = { 'a/x.yaml': 'one', 'b/x.yaml': 'two', 'own.yaml': 'three', 'same.yaml': 'four' };
      writeFileSync(join(cwd, 'own.yaml'), 'an older one');
      writeFileSync(join(cwd, 'same.yaml'), 'four');
      const command = [
        ...['run', 'a/x.yaml', '--suite', 'b/x.yaml'],
        ...['--baseline=own.yaml', '--stack-file', 'same.yaml'],
      ];
      const given = withFiles({ command, files }, cwd, join(cwd, 'work'));
      expect(given[0]).toBe('run');
      expect(given[4]).toMatch(/^--baseline=/);
      expect(given[6]).toBe('same.yaml');
      const paths = [given[1], given[3], given[4]?.replace('--baseline=', ''), given[6]];
      expect(paths.map((path) => readFileSync(resolve(cwd, path ?? ''), 'utf8'))).toEqual(
        Object.values(files),
      );
    }));

  it('are none of the words that are names, whatever was sent by those names', () =>
    withFolder(async (cwd) => {
      const command = ['collective', 'all-reduce', '--dtype', 'float32', '--stack-file', 'toString'];
      const files = { collective: 'a', 'all-reduce': 'b', float32: 'c' };
      expect(withFiles({ command, files }, cwd, join(cwd, 'work'))).toEqual(command);
    }));
});

describe('places of a verdict', () => {
  it('have the name of each node where the command says so, and no other word has', () => {
    const places = 'json=/shared/{node}/q.{node}.json,junit';
    const own = 'json=/shared/$&1/q.$&1.json,junit';
    expect(withNodeName(['qualify', '--format', places, '--labels', 'a={node}'], '$&1')).toEqual([
      'qualify',
      '--format',
      own,
      '--labels',
      'a={node}',
    ]);
    expect(withNodeName(['qualify', `--format=${places}`], '$&1')).toEqual(['qualify', `--format=${own}`]);
  });
});

describe('a result that comes back as text', () => {
  it('is found whole among other lines, with names before them, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 20_000 }),
        fc.stringMatching(/^[ -~]{0,40}$/),
        (bytes, noise) => {
          const delivery = withRandom(bytes);
          const lines = deliveryLines(delivery)
            .split('\n')
            .map((line) =>
              line === '' ? '' : `[1,0]<stdout>: ${line}\r\n${noise.replaceAll('PI-BENCH', '')}`,
            );
          expect(deliveryIn(`before\n${lines.join('\n')}\nafter`, 'it')).toEqual(delivery);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is not there where nothing of it came', () => {
    expect(deliveryIn('a crash, and nothing else\n', 'it')).toBeNull();
  });

  it('that is cut off, lacks a line or was altered is told from a whole one', () => {
    const lines = deliveryLines(
      withRandom(Uint8Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 251)),
    ).split('\n');
    expect(lines.length).toBeGreaterThan(2);
    expect(() => deliveryIn(lines.slice(0, -2).join('\n'), 'n1')).toThrow(/n1 is cut off/);
    expect(() => deliveryIn(lines.slice(1).join('\n'), 'n1')).toThrow(/n1 is damaged/);
    const altered = lines.join('\n').replace(/PI-BENCH-RESULT 0 (.{50})./, 'PI-BENCH-RESULT 0 $1#');
    expect(() => deliveryIn(altered, 'n1')).toThrow(/n1 is damaged/);
  });
});

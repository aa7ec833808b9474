import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/submit/run-program.js';
import { bindings } from '../../src/submit/slurm-batch.js';
import { remedyOf } from '../../src/submit/slurm-refusal.js';
import { requestOf, slurmSettings } from '../../src/submit/slurm-request.js';
import { type Around, chooseTargets } from '../../src/submit/slurm-targets.js';
import {
  fieldsOf,
  jobState,
  parseSacct,
  parseSinfo,
  parseSqueue,
  unfitness,
} from '../../src/submit/slurm-text.js';
import type { Task } from '../../src/submit/task.js';

const NODES = parseSinfo(
  [
    'n1|allocated|8|bench*|64000|ib|gpu:8(S:0-1)|none',
    'n2|idle|8|bench*|64000|a100,ib|gpu:a100:8(S:0,1),nic:2|none',
    'n2|idle|8|other|64000|a100,ib|gpu:a100:8(S:0,1),nic:2|none',
    'n3|down*|8|bench*|64000|ib|(null)|Not responding',
    'n4|idle|8|bench*|32000||gpu:h100:4|none',
    'n5|idle|8|other|64000|a100|gpu:a100:4,gpu:h100:4|none',
    'n6|reserved|8|bench*|64000|ib|(null)|none',
    'n7|mixed$|8|bench*|64000|ib|(null)|none',
    '',
  ].join('\n'),
);

const choose = (flags: Record<string, unknown>, around: Partial<Around> = {}) =>
  chooseTargets(settings(flags), {
    partition: null,
    nodes: NODES,
    reserved: null,
    named: null,
    excluded: [],
    ...around,
  });

const settings = (flags: Record<string, unknown>) => slurmSettings({ via: 'sbatch', ...flags }, {});

describe('nodes of a Slurm', () => {
  it('are listed once each, however many partitions have them', () => {
    expect(NODES.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7']);
  });

  it.each([
    ['idle', null],
    ['mixed', null],
    ['allocated+', null],
    ['planned', null],
    ['reserved', null],
    ['maint', null],
    ['idle~', null],
    ['mixed#', null],
    ['allocated@', null],
    ['mixed-', null],
    ['idle$', null],
    ['down*', 'the node is down, not responding (dead)'],
    ['down~', 'the node is down, powered off (dead)'],
    ['drained', 'the node is drained (dead)'],
    ['idle*', 'the node is idle, not responding (dead)'],
    ['maint*', 'the node is maint, not responding (dead)'],
    ['idle%', 'the node is idle, being powered down (dead)'],
    ['idle^', 'the node is idle, being rebooted (dead)'],
    ['inval', 'the node is inval (dead)'],
    ['future', 'the node is future (dead)'],
    ['what-comes-next', 'the node is what-comes-next (dead)'],
  ])('in state %s: %s', (state, why) => {
    expect(unfitness({ state, reason: 'dead' })).toBe(why);
  });

  it('by number are chosen among those of the default partition that can run jobs, idle ones first', () => {
    const { names, unfit } = choose({ nodes: '3' });
    expect(names).toEqual(['n2', 'n4', 'n1']);
    expect(unfit.size).toBe(0);
    expect(() => choose({ nodes: '4' })).toThrow(
      '4 nodes were asked for, and 3 of the default partition can run jobs now (n3: the node is down, not responding (Not responding), n6: the node is reserved, n7: the node is reserved)',
    );
    expect(choose({ nodes: 'all' }).names).toEqual(['n1', 'n2', 'n3', 'n4', 'n6', 'n7']);
  });

  it('by number are none where there is no default partition and none is named', () => {
    const nodes = NODES.map((node) => ({ ...node, inDefault: false }));
    expect(() => choose({ nodes: '1' }, { nodes })).toThrow(
      'this Slurm has no default partition: give --partition',
    );
    expect(choose({ nodes: '1' }, { nodes, partition: 'other' }).names).toEqual(['n2']);
  });

  it('by number are those of the reservation that is asked for, which wait for its jobs', () => {
    const reserved = ['n1', 'n3', 'n6', 'n7'];
    const flags = { reservation: 'rack' };
    expect(choose({ ...flags, nodes: '3' }, { reserved }).names).toEqual(['n6', 'n1', 'n7']);
    expect(choose({ ...flags, nodes: 'all' }, { reserved }).names).toEqual(reserved);
    expect(() => choose({ ...flags, nodes: '4' }, { reserved, partition: 'bench' })).toThrow(
      /^4 nodes were asked for, and 3 of reservation rack in partition bench can run jobs now \(n3: /,
    );
  });

  it.each([
    [{ constraint: 'a100' }, ['n2']],
    [{ constraint: 'a100&ib' }, ['n2']],
    [{ constraint: 'a100|ib' }, ['n2', 'n1']],
    [{ gres: 'gpu' }, ['n2', 'n4', 'n1']],
    [{ gres: 'gpu:8' }, ['n2', 'n1']],
    [{ gres: 'gpu:h100' }, ['n4']],
    [{ gres: 'gpu:a100:4,nic' }, ['n2']],
    [{ mem: '40G' }, ['n2', 'n1']],
    [{ constraint: 'ib', gres: 'gpu:8', mem: '64000' }, ['n2', 'n1']],
  ])('by number have what is asked for: %j', (flags, expected) => {
    expect(choose({ ...flags, nodes: String(expected.length) }).names).toEqual(expected);
    expect(() => choose({ ...flags, nodes: '6' })).toThrow(
      new RegExp(`${expected.length} of the default partition with .* can run jobs now`),
    );
  });

  it('of two types are as many together as are asked for without one', () => {
    expect(
      choose({ gres: 'gpu:8', nodes: '1' }, { partition: 'other', nodes: NODES.slice(4, 5) }).names,
    ).toEqual(['n5']);
  });

  it.each([
    ['constraint', '[rack1|rack2]'],
    ['constraint', '(a|b)&c'],
    ['constraint', 'a*4'],
    ['gres', 'gpu:a100:many'],
  ])('are named where it cannot be told which have --%s %s', (flag, value) => {
    const line = `which nodes have --${flag} ${value} cannot be told here: name them, as with --nodelist n[1-16]`;
    expect(() => choose({ nodes: '1', [flag]: value })).toThrow(line);
    expect(choose({ nodelist: 'n1', [flag]: value }, { named: ['n1'] }).names).toEqual(['n1']);
  });

  it('by name are all meant: one that is down is named with Slurm’s reason', () => {
    const { names, unfit } = choose({ nodelist: 'n[2-3],n[5-6]' }, { named: ['n2', 'n3', 'n5', 'n6'] });
    expect(names).toEqual(['n2', 'n3', 'n5', 'n6']);
    expect([...unfit]).toEqual([['n3', 'the node is down, not responding (Not responding)']]);
  });

  it('that are excluded or not there are one clear line', () => {
    expect(() => choose({ nodelist: 'n9' }, { named: ['n9'] })).toThrow('this Slurm has no node n9');
    expect(() => choose({ nodelist: 'n1' }, { named: ['n1'], excluded: ['n1'], partition: 'gpu' })).toThrow(
      'partition gpu has no node left to run on',
    );
    expect(() => choose({ nodes: '1' }, { nodes: [] })).toThrow('this Slurm is not there, or has no nodes');
  });

  it('have to be asked for', () => {
    expect(() => settings({})).toThrow('say which nodes: --nodes 16, --nodelist n[1-16], or --nodes all');
    expect(() => settings({ nodes: '0' })).toThrow('--nodes takes a number of nodes, or all; got "0"');
  });

  it.each([
    [{ nodes: '2', mem: 'abc' }, 'abc'],
    [{ nodelist: 'n1', mem: '64Q' }, '64Q'],
    [{ nodes: 'all', mem: '' }, ''],
  ])('are told apart from a memory that is none, however they are asked for: %j', (flags, mem) => {
    expect(() => settings(flags)).toThrow(
      `--mem takes the memory of each node as Slurm writes it, a number of megabytes or one with K, M, G or T (64G); got "${mem}"`,
    );
  });
});

describe('what is asked of Slurm', () => {
  it('has every flag that was given, and a node for itself unless told otherwise', () => {
    const asked = requestOf(
      settings({ nodes: '1', gres: 'gpu:8', time: '10', reservation: 'r', account: 'a', qos: 'q' }),
    );
    expect(asked).toEqual(
      expect.arrayContaining([
        '--gres=gpu:8',
        '--time=10',
        '--reservation=r',
        '--account=a',
        '--qos=q',
        '--exclusive',
      ]),
    );
    expect(requestOf(settings({ nodes: '1', exclusive: false }))).toEqual(['--nodes=1', '--ntasks=1']);
  });

  it('is all memory of a node that is for itself, unless another size is asked for', () => {
    const memoryOf = (flags: Record<string, unknown>) =>
      requestOf(settings({ nodes: '1', ...flags })).filter((word) => word.startsWith('--mem'));
    expect(memoryOf({})).toEqual(['--mem=0']);
    expect(memoryOf({ mem: '64G' })).toEqual(['--mem=64G']);
    expect(memoryOf({ exclusive: false })).toEqual([]);
    expect(memoryOf({ exclusive: false, mem: '64G' })).toEqual(['--mem=64G']);
  });

  it('is what decides on nodes in the environment of its programs, too, where no flag says otherwise', () => {
    const env = {
      SBATCH_PARTITION: 'batch',
      SLURM_PARTITION: 'run',
      SBATCH_RESERVATION: 'r',
      SBATCH_GRES: '',
    };
    const of = (flags: Record<string, unknown>) =>
      slurmSettings({ nodes: '1', via: 'sbatch', ...flags }, env);
    expect(of({})).toMatchObject({ partition: 'batch', reservation: 'r', gres: null, account: null });
    expect(of({ via: 'srun' })).toMatchObject({ partition: 'run', reservation: null });
    expect(of({ partition: 'own' })).toMatchObject({ partition: 'own' });
  });

  it('binds each task of an array to its node before it is released', () => {
    const tasks = ['n4', 'n2'].map((target) => ({ target }) as Task);
    expect(bindings('17', tasks).split('\n')).toEqual([
      'update JobId=17_0 ReqNodeList=n4',
      'update JobId=17_1 ReqNodeList=n2',
      'release 17',
      'quit',
      '',
    ]);
  });
});

describe('what Slurm says of jobs', () => {
  it('is read from squeue, reasons with their bars and brackets', () => {
    expect(parseSqueue('12_0|pi-bench-a-1|PENDING||(Resources)\n12_1|x|RUNNING|n2|None\n')).toEqual([
      { id: '12_0', name: 'pi-bench-a-1', state: 'PENDING', node: '', reason: 'Resources' },
      { id: '12_1', name: 'x', state: 'RUNNING', node: 'n2', reason: 'None' },
    ]);
  });

  it('is read from scontrol', () => {
    const text =
      'JobId=12 ArrayJobId=12 ArrayTaskId=0 JobState=FAILED Reason=NonZeroExitCode ExitCode=1:0 NodeList=n1';
    expect(fieldsOf(text).get('ExitCode')).toBe('1:0');
    expect(fieldsOf(text).get('JobState')).toBe('FAILED');
  });

  it.each([
    ['PENDING', '', { phase: 'waiting', why: 'Resources' }],
    ['RUNNING', '', { phase: 'running', node: 'n1' }],
    ['COMPLETING', '', { phase: 'running', node: 'n1' }],
    ['COMPLETED', '0:0', { phase: 'ended', itself: true, reason: 'the job ended and left no result' }],
    ['FAILED', '7:0', { phase: 'ended', itself: true, reason: 'the job ended with exit code 7' }],
    ['FAILED', '0:9', { phase: 'ended', itself: false, reason: 'the job was killed by signal 9' }],
    ['FAILED', '0:53', { phase: 'ended', itself: false, reason: /cannot write to the folder.*--via srun/ }],
    ['NODE_FAIL', '', { phase: 'ended', itself: false, reason: 'the node failed' }],
    ['TIMEOUT', '0:1', { phase: 'ended', itself: false, reason: 'the job reached its time limit' }],
    ['CANCELLED by 0', '0:15', { phase: 'ended', itself: false, reason: 'the job was cancelled' }],
    ['OUT_OF_MEMORY', '0:125', { phase: 'ended', itself: false, reason: 'the job ran out of memory' }],
  ])('%s %s', (state, exitCode, expected) => {
    const { reason, ...rest } = expected as { reason?: string | RegExp };
    const seen = jobState(state, 'n1', 'Resources', exitCode);
    expect(seen).toMatchObject(rest);
    if (reason !== undefined) expect((seen as { reason: string }).reason).toMatch(reason);
  });

  it('of one that it refused at once is that, and no signal of which nobody knows', () => {
    expect(jobState('FAILED', '', 'None', '0:1')).toEqual({
      phase: 'ended',
      itself: false,
      node: null,
      reason: 'the job was refused',
    });
  });

  it('is read from accounting where the controller has forgotten', () => {
    const seen = parseSacct('12_0|COMPLETED|0:0|n1\n12_1|CANCELLED by 1000|0:15|n2\n');
    expect(seen.get('12_1')).toEqual({
      phase: 'ended',
      itself: false,
      node: 'n2',
      reason: 'the job was cancelled',
    });
    expect(seen.get('12_0')).toMatchObject({ itself: true });
  });

  it('is said in its own words, once and without the program’s name', () => {
    expect(wordsOf('sbatch: error: Batch job submission failed: Requested reservation is invalid\n')).toBe(
      'Batch job submission failed: Requested reservation is invalid',
    );
    expect(
      wordsOf(
        "srun: cluster configuration lacks support for cpu binding\nallocation failure: User's group not permitted to use this partition\n",
      ),
    ).toBe("User's group not permitted to use this partition");
    expect(wordsOf('srun: error: a\nsrun: error: a\nsrun: error: b\n')).toBe('a; b');
  });

  it.each([
    [
      'fetch_config: DNS SRV lookup failed; Could not establish a configuration source',
      'run it on a login node, or set SLURM_CONF',
    ],
    ['Unable to contact slurm controller (connect failure)', 'run it on a login node, or set SLURM_CONF'],
    ["User's group not permitted to use this partition", 'AllowGroups'],
    ['Access denied to requested reservation', 'scontrol show reservation'],
    ['Invalid account or account/partition combination specified', '--account'],
    ['Invalid qos specification', '--qos'],
    ['Memory required by task is not available', '--mem'],
    ['Reservation nobodys not found', '--reservation'],
    ['Requested time limit is invalid (missing or exceeds some limit)', '--time'],
    ['Required partition not available (inactive or drain)', '--partition'],
    ['Requested node configuration is not available', 'sinfo'],
  ])('when it refuses, %s: what to do about it', (said, remedy) => {
    expect(remedyOf(said)).toContain(remedy);
  });

  it('and nobody knows, is all that is said', () => {
    expect(remedyOf('Socket timed out on send/recv operation')).toBeNull();
  });
});

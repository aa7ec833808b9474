import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/submit/run-program.js';
import { chooseTargets } from '../../src/submit/slurm.js';
import { bindings } from '../../src/submit/slurm-batch.js';
import { remedyOf } from '../../src/submit/slurm-refusal.js';
import { requestOf, slurmSettings } from '../../src/submit/slurm-request.js';
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
    'n1|allocated|8|none',
    'n2|idle|8|none',
    'n2|idle|8|none',
    'n3|down*|8|Not responding',
    'n4|idle|8|none',
    '',
  ].join('\n'),
);

const settings = (flags: Record<string, unknown>) => slurmSettings({ via: 'sbatch', ...flags });

describe('nodes of a Slurm', () => {
  it('are listed once each, however many partitions have them', () => {
    expect(NODES.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3', 'n4']);
  });

  it.each([
    ['idle', null],
    ['mixed', null],
    ['idle~', null],
    ['down*', 'the node is down, not responding (dead)'],
    ['drained', 'the node is drained (dead)'],
    ['idle*', 'the node is idle, not responding (dead)'],
  ])('in state %s: %s', (state, why) => {
    expect(unfitness({ name: 'n', state, reason: 'dead', cpus: 2 })).toBe(why);
  });

  it('by number are chosen among those that can run jobs, idle ones first', () => {
    const { names, unfit } = chooseTargets(settings({ nodes: '3' }), NODES, null, []);
    expect(names).toEqual(['n2', 'n4', 'n1']);
    expect(unfit.size).toBe(0);
  });

  it('by name are all meant: one that is down is named with Slurm’s reason', () => {
    const { names, unfit } = chooseTargets(settings({ nodelist: 'n[2-3]' }), NODES, ['n2', 'n3'], []);
    expect(names).toEqual(['n2', 'n3']);
    expect(unfit.get('n3')).toContain('down');
  });

  it('that are too few, excluded or not there are one clear line', () => {
    expect(() => chooseTargets(settings({ nodes: '4' }), NODES, null, [])).toThrow(
      '4 nodes were asked for, and 3 of this Slurm can run jobs now (n3: the node is down, not responding (Not responding))',
    );
    expect(() => chooseTargets(settings({ nodelist: 'n9' }), NODES, ['n9'], [])).toThrow(
      'this Slurm has no node n9',
    );
    expect(() =>
      chooseTargets(settings({ nodelist: 'n1', partition: 'gpu' }), NODES, ['n1'], ['n1']),
    ).toThrow('partition gpu has no node left to run on');
  });

  it('have to be asked for', () => {
    expect(() => settings({})).toThrow('say which nodes: --nodes 16, --nodelist n[1-16], or --nodes all');
    expect(() => settings({ nodes: '0' })).toThrow('--nodes takes a number of nodes, or all; got "0"');
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

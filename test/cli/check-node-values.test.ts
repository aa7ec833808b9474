import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkNodeValues } from '../../src/cli/check-node-values.js';
import { withFolder } from '../support/pi-bench.js';

/** Words of a command, or `folder/` before a file that lies in a folder of the test's own. */
const wordsIn = (folder: string, line: string): readonly string[] =>
  line.replaceAll('folder/', `${folder}/`).split(' ');

const FILES = {
  'campaign.yaml':
    'measure:\n  - { indicator: matmul, parameters: { size: 64, threads: 100 }, devices: numa:5 }\n',
  'both.yaml':
    'measure:\n  - { indicator: matmul, devices: numa:31 }\n  - { indicator: collective, parameters: { operation: all-gather, bytes: 8 } }\n',
  'typo.yaml': 'measure:\n  - { indicator: matmul, parameters: { size: five } }\n',
  'suite.yaml': [
    'name: own',
    'extends: t1',
    'campaign:',
    '  measure:',
    '    - { indicator: matmul, parameters: { size: five }, labels: { part: exact } }',
  ].join('\n'),
  'stacks.yaml': 'stacks:\n  - { name: own, stack: openblas }\n',
  'baseline.json': '{}',
};

const checked = (line: string): Promise<void> =>
  withFolder(async (folder) => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    await checkNodeValues(wordsIn(folder, line));
  });

describe('the values of a command for nodes', () => {
  it.each([
    ['matmul --size five', '--size takes a whole number'],
    ['matmul --size 64 --m 3', 'give either --size or --m'],
    ['matmul --dtype float31', 'float31'],
    ['matmul --stack openblass', '--stack openblass is unknown'],
    ['matmul --device gpu:0', '--device gpu:0 is unknown'],
    ['matmul --budget 60', '--budget takes a time'],
    ['matmul --seed -1', '--seed takes a whole number'],
    ['matmul --labels A', '--labels takes names'],
    ['matmul --labels threads=1', "the label threads is pi-bench's own"],
    ['matmul --reps 10 --duration 1s', '--duration and --reps both decide'],
    ['matmul --settle 1%', '--settle compares'],
    ['matmul --stack-file folder/none.yaml', 'cannot read'],
    ['memory --operation reed', 'reed'],
    ['memory --device cuda:0 --bytes lots', '--bytes'],
    ['collective all-reduec', 'there is no collective all-reduec'],
    ['collective all-reduce --transport mpi --bytes lots', '--bytes takes sizes'],
    ['collective all-reduce --bytes 6', 'no multiple of an element'],
    ['sweep matmul --size 64,five', '--size takes a whole number'],
    ['sweep matmul --sise 64', 'Unknown argument'],
    ['sweep matmull --size 64', 'Unknown'],
    ['explore folder/stacks.yaml --count few', '--count takes a whole number'],
    ['explore folder/none.yaml', 'cannot read'],
    ['explore folder/stacks.yaml -- --size five', '--size takes a whole number'],
    ['run folder/typo.yaml', 'typo.yaml:2: --size takes a whole number'],
    ['qualify --suite folder/none.yaml', 'cannot read'],
    ['qualify --suite folder/suite.yaml', 'suite.yaml:5: --size takes a whole number'],
    ['qualify --baseline folder/none.json', 'cannot read the baseline'],
    ['qualify --baseline folder/baseline.json', 'baseline.json'],
    ['qualify --expect gpus=8', '--expect takes counts'],
    ['qualify --deadline 50', '--deadline takes a time'],
    ['qualify --deadline 4s', '--deadline 4 s leaves no time to measure anything'],
    ['qualify --format pdf', '--format pdf is unknown'],
    ['qualify --tier t0 --baseline folder/baseline.json', 'suite t0 has no check floor'],
    ['qualify --tier t0 --suite folder/typo.yaml', 'give one of them'],
    ['qualify --push gateway', '--push takes'],
    ['qualify --push http://user:secret@gateway', 'set PI_BENCH_PUSH_CREDENTIALS on the nodes instead'],
    ['qualify --require flor', 'there is no such check'],
    ['qualify --format junit,md=-', '--format md=-: what nodes print is not kept'],
    ['qualify --format junit=out.xml', 'nodes that share this folder would write one file'],
    ['qualify --format junit={node}.xml', 'an absolute path with {node} in it'],
    ['qualify --format json=/shared/out.json', 'nodes that share this folder would write one file'],
    ['qualify --format junit,json=/shared/out.json', '--format json=/shared/out.json: nodes'],
    ['matmul --out /x', 'come into nodes/<node>/ of the submission'],
    ['qualify --tier t0 --out=/x', 'come into nodes/<node>/ of the submission'],
    ['explore folder/stacks.yaml --out /x -- --size 64', 'come into nodes/<node>/ of the submission'],
    ['qualify --self-test', 'keeps no record that a node could bring back'],
    ['qualify --require counts,history', 'which no node of a submission can judge'],
  ])('%s: refused', async (line, words) => {
    await expect(checked(line)).rejects.toThrow(words);
  });

  it.each([
    'matmul',
    'matmul --size 512 --threads 200 --pin --device numa:7',
    'matmul --threads 16 --device numa:31',
    'matmul --size 40000 --device cuda:7 --stack embedded,cublaslt',
    'matmul --stack openblas,mkl,cblas:/only/there.so',
    'matmul --stack-file folder/stacks.yaml',
    'matmul --device cuda:all --at-once beside --inspections 6',
    'memory --bytes 70% --operation read --device cuda:all',
    'memory --device cpu:each',
    'memory --device cuda:0 --operation peer',
    'peak --device cuda:0',
    'kernel-launch --device cuda:0',
    'overlap --device cuda:all',
    'collective all-reduce --transport mpi --mpi-library openmpi --launcher srun --ranks 128',
    'collective all-reduce --device cuda:all',
    'collective all-gather --bytes 8 --transport gloo',
    'collective broadcast --root 63',
    'collective all-reduce --redop avg --dtype float16',
    'sweep matmul --size 64..4096*2 --threads 1..8 --stack openblas,embedded',
    'sweep collective all-reduce --transport shm,mpi,gloo --ranks 2,4',
    'explore folder/stacks.yaml --count 5 --seed 7 -- memory --bytes 1GiB --settle 1%',
    'run folder/campaign.yaml',
    'run folder/both.yaml',
    'qualify',
    'qualify --tier t3',
    'qualify --tier t2 --expect gpu=8,cpu=512 --budget 60s --format prom=/var/lib/{node}.prom,junit --push http://gateway:9091',
  ])('%s: handed over, whatever this machine is', async (line) => {
    await expect(checked(line)).resolves.toBeUndefined();
  });
});

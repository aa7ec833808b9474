import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCampaignFile } from '../../src/campaign/campaign-file.js';
import { inspectionsOf } from '../../src/cli/common-options.js';
import { findIndicator } from '../../src/indicators/index.js';
import { jsonSchemas } from '../../src/record/json-schema.js';
import { blocksOf, pages } from '../support/documents.js';
import { root } from '../support/pi-bench.js';

const parse = (content: string) => parseCampaignFile(content, 'c.yaml');

describe('a campaign file', () => {
  it('becomes the flags that one would have typed', () => {
    const { entries, labels, seed, budget, name } = parse(`
name: check
labels: {site: a}
seed: 4
budget: 10min
defaults: {inspections: 12, stacks: [embedded, "embedded:avx2"]}
measure:
  - indicator: matmul
    parameters:
      size: 64..4096*2
      dtype: [float32, float64]
      prepack: true
    repetitions: 2k
    precision: 1%
  - indicator: peak
    inspections: 3
`);
    expect({ name, labels, seed, budget }).toEqual({
      name: 'check',
      labels: { site: 'a' },
      seed: 4,
      budget: '10min',
    });
    expect(entries).toEqual([
      {
        indicator: 'matmul',
        flags: {
          inspections: '12',
          stack: 'embedded,embedded:avx2',
          size: '64..4096*2',
          dtype: 'float32,float64',
          prepack: true,
          reps: '2k',
          precision: '1%',
        },
        labels: {},
        line: 8,
      },
      {
        indicator: 'peak',
        flags: { inspections: '3', stack: 'embedded,embedded:avx2' },
        labels: {},
        line: 15,
      },
    ]);
  });

  it('has several launchers as several, whatever commas their arguments have', () => {
    const of = (launcher: string) =>
      parse(`measure: [{indicator: collective, parameters: {transport: mpi, launcher: ${launcher}}}]`)
        .entries[0]?.flags.launcher;
    expect(of('["mpirun --mca btl tcp,self", "srun --mpi=pmi2"]')).toEqual([
      'mpirun --mca btl tcp,self',
      'srun --mpi=pmi2',
    ]);
    expect(of('"mpirun --mca btl tcp,self"')).toBe('mpirun --mca btl tcp,self');
  });

  const launchesOf = (content: string) =>
    parse(content).entries.map(({ indicator, flags }) =>
      inspectionsOf(flags, findIndicator(indicator).measuring),
    );

  it('cannot ask for a precision with fewer launches than tell one', () => {
    const withDefault = (inspections: number) =>
      `defaults: {inspections: ${inspections}}\nmeasure: [{indicator: matmul, precision: 1%}]`;
    expect(() => launchesOf(withDefault(7))).toThrow(/^--precision takes at least 8 launches/);
    expect(launchesOf(withDefault(8))).toEqual([8]);
  });

  it('cannot ask for a comparison with fewer launches than settle one', () => {
    const settling = (inspections: number) =>
      `measure: [{indicator: matmul, stacks: [embedded, openblas], settle: 2%, inspections: ${inspections}}]`;
    expect(() => launchesOf(settling(9))).toThrow(
      /^--settle takes at least 10 launches of each stack, and --inspections allows 9/,
    );
    expect(launchesOf(settling(10))).toEqual([10]);
  });

  it.each([
    ['repetitions: 200', 'duration: 3s', { duration: '3s' }],
    ['duration: 3s', 'repetitions: 200', { reps: '200' }],
    ['duration: 3s', 'precision: 1%', { precision: '1%' }],
    ['precision: 1%', 'duration: 3s', { duration: '3s' }],
    ['precision: 1%', 'settle: 2%', { settle: '2%' }],
    ['settle: 2%', 'precision: 1%', { precision: '1%' }],
    ['repetitions: 200', 'precision: 1%', { reps: '200', precision: '1%' }],
    ['duration: 3s', 'settle: 2%', { duration: '3s', settle: '2%' }],
  ])('with the default "%s" and an entry’s "%s" holds what the entry chose', (usual, own, flags) => {
    const [entry] = parse(`defaults: {${usual}}\nmeasure: [{indicator: matmul, ${own}}]`).entries;
    expect(entry?.flags).toEqual(flags);
  });

  it('leaves to be refused what one entry asks for twice over', () => {
    const [entry] = parse('measure: [{indicator: matmul, repetitions: 200, duration: 3s}]').entries;
    expect(entry?.flags).toEqual({ reps: '200', duration: '3s' });
  });

  it('of the documents asks for what can be reached', () => {
    const files = pages.flatMap(({ text }) =>
      blocksOf(text, 'yaml').filter((block) => /^measure:/m.test(block)),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(() => launchesOf(file)).not.toThrow();
  });

  it('may be JSON', () => {
    const { entries } = parse('{"measure": [{"indicator": "matmul", "parameters": {"size": 64}}]}');
    expect(entries).toEqual([{ indicator: 'matmul', flags: { size: '64' }, labels: {}, line: 1 }]);
  });

  it.each([
    ['measure: [', /^c\.yaml:1: /],
    ['- a', /^c\.yaml:1: /],
    ['', /^c\.yaml:1: /],
    ['measure: []', /^c\.yaml:1: measure: takes a list with at least one item$/],
    ['seed: 1', /^c\.yaml:1: measure: it is missing, and takes a list$/],
    ['measure: 5', /^c\.yaml:1: measure: takes a list; got 5$/],
    [
      'measure:\n  - indicator: sort',
      /^c\.yaml:2: measure\.0\.indicator: there is no such indicator; there is matmul/,
    ],
    ['measure:\n  - parameters: {}', /^c\.yaml:2: measure\.0\.indicator: /],
    [
      'measure:\n  - indicator: peak\n    reps: 5',
      /^c\.yaml:3: measure\.0: "reps" is unknown here; there is repetitions, indicator, .*; did you mean repetitions\?$/,
    ],
    [
      'measure:\n  - indicator: matmul\n    parameters: {reps: 5}',
      /^c\.yaml:3: measure\.0\.parameters: "reps" does not stand below parameters; beside them stands repetitions$/,
    ],
    [
      'measure:\n  - indicator: matmul\n    parameters: {repetition: 5}',
      /"repetition" does not stand below parameters; beside them stands repetitions$/,
    ],
    [
      'measure:\n  - indicator: matmul\n    size: 5',
      /^c\.yaml:3: measure\.0: "size" stands below parameters: parameters: \{size: \.\.\.\}$/,
    ],
    [
      'measure:\n  - indicator: matmul\nreps: 5',
      /^c\.yaml:3: "reps" does not stand here; below defaults, or in an entry of measure, stands repetitions$/,
    ],
    ['measure:\n  - indicator: peak\n    stack: a', /"stack" is unknown here; there is stacks, indicator, /],
    ['measure:\n  - indicator: peak\nseeds: 5', /^c\.yaml:3: "seeds" is unknown here; there is seed, name, /],
    [
      'defaults: {device: cpu}\nmeasure: []',
      /^c\.yaml:1: defaults: "device" is unknown here; there is devices, /,
    ],
    [
      'measure:\n  - indicator: matmul\n    parameters: {threds: 2}',
      /^c\.yaml:3: measure\.0\.parameters: "threds" is unknown here; there is threads, /,
    ],
    [
      'measure:\n  - indicator: peak\nbudget: 10',
      /^c\.yaml:3: budget: takes a time with its unit, such as 10min/,
    ],
    [
      'measure:\n  - {indicator: peak, repetitions: {a: 1}}',
      /^c\.yaml:2: measure\.0\.repetitions: takes a number, a text, true or false or a list; got \{"a":1\}$/,
    ],
    [
      'measure:\n  - indicator: matmul\n    parameters:\n      dtype: float32\n      sise: 5',
      /^c\.yaml:5: measure\.0\.parameters: "sise" is unknown here; there is size, .*; did you mean size\?$/,
    ],
    ['measure:\n  - indicator: peak\nseed: 4294967301', /^c\.yaml:3: seed: .*4294967295/],
    ['measure:\n  - indicator: peak\nseed: x', /^c\.yaml:3: seed: takes a number; got "x"$/],
    ['measure:\n  - indicator: peak\nlabels: {A: b}', /^c\.yaml:3: labels\.A: /],
    ['measure:\n  - indicator: peak\n    duration: *long', /^c\.yaml:3: Unresolved alias .*long/],
  ])('with a mistake is refused with its line: %j', (content, says) => {
    expect(() => parse(content)).toThrow(says);
    expect(() => parse(content)).toThrow(/^[^\n]+$/);
  });

  it('has a JSON Schema for editors, which the package ships as the code makes it', () => {
    const shipped = JSON.parse(readFileSync(join(root, 'schema', 'campaign.schema.json'), 'utf8'));
    expect(shipped).toEqual(JSON.parse(JSON.stringify(jsonSchemas().campaign)));
    expect(JSON.stringify(shipped)).toContain('"transpose"');
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonSchemas } from '../../../src/record/json-schema.js';
import { onlyRequest } from '../../../src/stacks/own/request.js';
import { parseStackFile } from '../../../src/stacks/own/stack-file.js';
import { root } from '../../support/pi-bench.js';

const parse = (content: string) => parseStackFile(content, 's.yaml');
const only = (content: string) => parse(content).map((one) => onlyRequest(one, 's.yaml'));

describe('a stack file', () => {
  it('says of each stack what executes it and in what it runs', () => {
    const [blis, js] = only(`
stacks:
  - name: debian-blis
    stack: blis
    debian: [libblis4-pthread, libgomp1=12.2.0-14]
    environment: {BLIS_ARCH_TYPE: 3, BLIS_THREAD_IMPL: null}
  - name: js
    stack: embedded:avx2
    npm: {packages: {"@scope/a": ^1.2.0}, installScripts: {b: skip}}
`);
    expect(blis).toEqual({
      name: 'debian-blis',
      provider: 'blis',
      variant: null,
      library: null,
      folders: [],
      debian: ['libblis4-pthread', 'libgomp1=12.2.0-14'],
      npm: null,
      environment: { BLIS_ARCH_TYPE: '3', BLIS_THREAD_IMPL: null },
    });
    expect(js).toMatchObject({
      provider: 'embedded',
      variant: 'avx2',
      npm: { packages: { '@scope/a': '^1.2.0' }, lockfile: null, installScripts: { b: 'skip' } },
    });
  });

  const stack = (rest: string) => `stacks:\n  - name: mine\n    ${rest}`;
  it.each([
    ['stacks: [', /^s\.yaml:1: /],
    ['stacks: []', /^s\.yaml:1: stacks: /],
    [stack('stack: sort'), /^s\.yaml:2: mine: --stack sort is unknown; there is embedded/],
    [stack('stak: blis'), /^s\.yaml:3: stacks\.0: "stak" is unknown here; there is stack, name, /],
    ['stacks:\n  - nam: a', /^s\.yaml:2: stacks\.0: "nam" is unknown here; there is name, /],
    [
      stack('stack: blis\n    colour: red'),
      /^s\.yaml:4: stacks\.0: "colour" is unknown here; there is name, stack, library, .*, threads$/,
    ],
    [
      stack('stack: embedded\n    npm: {package: {}}'),
      /^s\.yaml:4: stacks\.0\.npm: "package" is unknown here; there is packages, lockfile, installScripts; did you mean packages\?$/,
    ],
    ['stacks: [{name: a, stack: blis}]\nfiles: 1', /^s\.yaml:2: "files" is unknown here; there is stacks$/],
    [stack('stack: cblas:/lib.so'), /^s\.yaml:2: mine: stack is cblas, and its file goes into library/],
    [stack('stack: cblas'), /^s\.yaml:2: mine: stack cblas needs a library/],
    [stack('stack: embedded\n    library: a.so'), /^s\.yaml:2: mine: stack embedded takes no library/],
    [stack('stack: blis\n    debian: [Lib_X]'), /^s\.yaml:4: .*a Debian package is a name, or name=version/],
    [
      stack('stack: blis\n    environment: {OMP_NUM_THREADS: 2}'),
      /^s\.yaml:2: mine: OMP_NUM_THREADS is set by pi-bench, from the case/,
    ],
    [stack('stack: blis\n    environment: {LD_LIBRARY_PATH: /a}'), /LD_LIBRARY_PATH is set by pi-bench/],
    ...['CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER', 'CUDA_LAUNCH_BLOCKING'].map((name): [string, RegExp] => [
      stack(`stack: cublas\n    environment: {${name}: 1}`),
      new RegExp(`^s\\.yaml:2: mine: ${name} is set by pi-bench, from the device: leave it out`),
    ]),
    [stack('stack: embedded\n    npm: {}'), /npm needs packages, or a lockfile/],
    [stack('stack: embedded\n    npm: {packages: {a: latest}}'), /npm package a: "latest" is no range/],
    ['stacks:\n  - {name: openblas, stack: openblas}', /^s\.yaml:2: openblas: .*choose another/],
    [
      'stacks:\n  - {name: a, stack: blis}\n  - {name: a, stack: blis}',
      /^s\.yaml:3: a: there is another stack of this name/,
    ],
  ])('with a mistake is refused with its line: %j', (content, says) => {
    expect(() => only(content)).toThrow(says);
    expect(() => only(content)).toThrow(/^[^\n]+$/);
  });

  it.each([
    [stack('stack: [blis, openblas]'), /mine has several possibilities \(stack\): pi-bench explore/],
    [stack('stack: blis\n    debian: [{any: [a1, b1]}]'), /several possibilities \(debian\)/],
    [stack('stack: blis\n    environment: {A: [1, 2]}'), /several possibilities \(A\)/],
    [stack('stack: blis\n    threads: 1..4'), /threads are for pi-bench explore; here --threads/],
  ])('with several possibilities is for explore only: %j', (content, says) => {
    expect(parse(content)).toHaveLength(1);
    expect(() => only(content)).toThrow(says);
  });

  it('has a JSON Schema for editors, which the package ships as the code makes it', () => {
    const shipped = JSON.parse(readFileSync(join(root, 'schema', 'stack-file.schema.json'), 'utf8'));
    expect(shipped).toEqual(JSON.parse(JSON.stringify(jsonSchemas()['stack-file'])));
    expect(JSON.stringify(shipped)).toContain('"installScripts"');
  });
});

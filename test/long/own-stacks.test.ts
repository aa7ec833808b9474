/** What stacks of one's own are for: libraries of a distribution and a framework, measured side by side, installed nowhere. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeOwnCache, noDebian, noNpm, type OwnCache, writeYaml } from '../support/own-stacks.js';
import { matmulRecord, withFolder } from '../support/pi-bench.js';

let place: OwnCache;
beforeAll(() => {
  place = makeOwnCache();
});
afterAll(() => place.remove());

it('OpenBLAS and BLIS of Debian and a framework of npm are measured from the cache in one command', (context) =>
  withFolder(async (out) => {
    const missing = noDebian('libblis4-pthread', 'libopenblas0-pthread') ?? noNpm('@tensorflow/tfjs-core');
    if (missing !== null) return context.skip(missing);
    const packages = { '@tensorflow/tfjs-core': '4.22.0', '@tensorflow/tfjs-backend-wasm': '4.22.0' };
    const file = writeYaml(place.folder, 'three.yaml', {
      stacks: [
        { name: 'a', stack: 'openblas', debian: ['libopenblas0-pthread'] },
        { name: 'b', stack: 'blis', debian: ['libblis4-pthread'] },
        { name: 'c', stack: 'tfjs:wasm', npm: { packages } },
      ],
    });
    const few = ['--size', '256', '--threads', '1', '--reps', '50', '--inspections', '6'];
    const { run, record } = await matmulRecord(out, ...few, '--stack-file', file);
    expect(run.code).toBe(0);
    expect(record.batches.map(({ stack }) => stack.own?.name)).toEqual(['a', 'b', 'c']);
    for (const { stack, verified, measured } of record.batches) {
      expect([verified, measured], stack.own?.name).toEqual(['passed', 6]);
      expect(stack.path).toContain(place.cache);
      expect(stack.own?.lock).toMatch(/^[0-9a-f]{64}$/);
    }
  }));

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Samples } from '../../src/record/samples.js';
import { decodeSamples, encodeSamples } from '../../src/store/samples-file.js';
import { unzip, zip } from '../../src/store/zip.js';

const folder = mkdtempSync(join(tmpdir(), 'pi-bench-samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nanoseconds = fc.integer({ min: 1, max: 2 ** 40 });

/** Samples as the clock gives them: whole nanoseconds of `calls` calls, one after the other. */
const samples = fc
  .tuple(fc.array(fc.tuple(nanoseconds, fc.boolean()), { maxLength: 50 }), fc.integer({ min: 1, max: 1000 }))
  .map(([list, calls]): { samples: Samples; calls: number } => {
    let at = 0;
    const entries = list.map(([elapsed]) => {
      const entry = at;
      at += elapsed;
      return entry;
    });
    return {
      samples: {
        seconds: Float64Array.from(list, ([elapsed]) => (elapsed * 1e-9) / calls),
        entries: Float64Array.from(entries, (entry) => entry * 1e-9),
        disturbed: list.flatMap(([, disturbed], i) => (disturbed ? [i] : [])),
      },
      calls,
    };
  });

describe('the file of an inspection’s samples', () => {
  it('gives back every sample to the nanosecond', () => {
    fc.assert(
      fc.property(samples, ({ samples: written, calls }) => {
        const read = decodeSamples(encodeSamples(written, calls), calls);
        expect(read).toEqual(written);
      }),
    );
  });

  it('keeps apart "none was disturbed" and "nobody can tell"', () => {
    const some = { seconds: Float64Array.of(1e-3), entries: Float64Array.of(0) };
    expect(decodeSamples(encodeSamples({ ...some, disturbed: null }, 1), 1).disturbed).toBeNull();
    expect(decodeSamples(encodeSamples({ ...some, disturbed: [] }, 1), 1).disturbed).toEqual([]);
  });

  it('has the same bytes for the same samples', () => {
    const some = { seconds: Float64Array.of(1e-3), entries: Float64Array.of(0), disturbed: [0] };
    expect(encodeSamples(some, 1)).toEqual(encodeSamples(some, 1));
  });

  it('takes less than 8 bytes for a repetition of a steady launch', () => {
    const seconds = Float64Array.from(
      { length: 20_000 },
      (_, i) => Math.round(1.4e6 + ((i * 7919) % 40_000)) * 1e-9,
    );
    const entries = seconds.map((_, i) => i * 1.4e-3);
    expect(encodeSamples({ seconds, entries, disturbed: [7] }, 1).length).toBeLessThan(20_000 * 8);
  });

  it('can be read by others: Python’s zipfile, and the arrays are NumPy’s format 1.0', () => {
    const path = join(folder, 'some.npz');
    const seconds = Float64Array.of(5, 1e-9, 3e-3);
    writeFileSync(path, encodeSamples({ seconds, entries: Float64Array.of(0, 6, 7), disturbed: [1] }, 1));
    const program = `
import ast, json, struct, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
arrays = {}
for name in archive.namelist():
    data = archive.read(name)
    assert data[:8] == b"\\x93NUMPY\\x01\\x00"
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0
    head = ast.literal_eval(data[10:10 + length].decode())
    letter = {"<u4": "I", "<u8": "Q", "|b1": "?"}[head["descr"]]
    assert head["fortran_order"] is False
    arrays[name] = struct.unpack("<" + letter * head["shape"][0], data[10 + length:])
print(json.dumps(arrays))`;
    expect(JSON.parse(execFileSync('python3', ['-c', program, path], { encoding: 'utf8' }))).toEqual({
      'elapsed_ns.npy': [5_000_000_000, 1, 3_000_000],
      'start_ns.npy': [0, 6_000_000_000, 7_000_000_000],
      'disturbed.npy': [false, true, false],
    });
  });

  it('is refused when a byte was altered or it is cut off', () => {
    const whole = encodeSamples(
      { seconds: Float64Array.of(1e-3, 2e-3), entries: Float64Array.of(0, 1e-3), disturbed: null },
      1,
    );
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), (length) => {
        expect(() => decodeSamples(whole.subarray(0, length), 1)).toThrow();
      }),
    );
    const altered = zip(unzip(whole).map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) })));
    altered.writeUInt8(altered.readUInt8(60) ^ 1, 60);
    expect(() => decodeSamples(altered, 1)).toThrow();
  });
});

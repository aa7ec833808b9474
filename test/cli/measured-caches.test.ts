/** Which of the memory records in a folder tells of this machine's caches. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderMachine } from '../../src/readers/terminal/machine.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { machineOf } from '../support/machine.js';
import { withModule } from '../support/mocked.js';

// Only what is looked at of a record is written here.
const { measuredCaches } = await withModule(
  'src/store/read-record.ts',
  { readRecordOrNull: (path: string) => JSON.parse(readFileSync(path, 'utf8')) },
  () => import('../../src/cli/measured-caches.js'),
);

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = Array.from({ length: 12 }, (_, i) => 16 * KIB * 2 ** i);

interface Curve {
  readonly threads: number;
  readonly device?: string;
  readonly atOnce?: true;
}

let results: string;
beforeEach(() => {
  results = mkdtempSync(join(tmpdir(), 'pi-bench-caches-'));
});
afterEach(() => rmSync(results, { recursive: true, force: true }));

const machine = machineOf();

/** One point of each curve is a batch: all others are as it is. */
function write(day: number, curves: readonly Curve[]): string {
  const folder = join(results, `2026010${day}T000000Z-memory-abcdef`);
  mkdirSync(folder);
  const path = join(folder, 'record.json');
  const record = {
    status: 'complete',
    campaign: { createdAt: `2026-01-0${day}T00:00:00.000Z` },
    labels: { machine: null, hostname: machine.os.hostname, cpu_model: machine.cpu.modelName },
    batches: curves.map(({ threads, device = 'cpu', atOnce }) => ({
      device,
      ...(atOnce === undefined ? {} : { atOnce: { of: 2 } }),
      inspections: [{ status: 'measured', cpus: threads === 1 ? '0' : '0-1' }],
    })),
    kpis: curves.map(({ threads, device = 'cpu' }, i) => ({
      labels: { indicator: 'memory', operation: 'read', threads, device },
      batches: [i],
      points: SIZES.map((size) => [size, size <= 32 * KIB * threads ? 2e11 : size <= 2 * MIB ? 1e11 : 2e10]),
    })),
  };
  writeFileSync(path, JSON.stringify(record));
  return path;
}
const chosen = () => {
  const { record, threads, device, atOnce } = measuredCaches(results, machine) ?? {};
  return [record, threads, device, atOnce];
};

describe('what was measured of the caches', () => {
  it('is of the whole CPU and the most threads, and not of the curve that comes first', () => {
    const path = write(1, [{ threads: 1, device: 'numa:0' }, { threads: 1 }, { threads: 2 }]);
    expect(chosen()).toEqual([path, 2, 'cpu', false]);
  });

  it('is of an older record where the newest is of a part, or beside other devices', () => {
    const path = write(1, [{ threads: 2 }]);
    write(2, [{ threads: 2, device: 'numa:0' }]);
    write(3, [{ threads: 2, atOnce: true }]);
    write(4, [{ threads: 2, device: 'cuda:0' }]);
    expect(chosen()).toEqual([path, 2, 'cpu', false]);
  });

  it('is of a part where no record is of the whole, and says so', () => {
    const path = write(2, [{ threads: 2, device: 'numa:0', atOnce: true }]);
    write(1, [{ threads: 2, device: 'numa:0' }]);
    expect(chosen()).toEqual([path, 2, 'numa:0', true]);
    const shown = renderMachine(machine, measuredCaches(results, machine), terminalStyle({ isTTY: false }));
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(
      '(2 threads on numa:0 beside other devices, 2026-01-02, ',
    );
  });
});

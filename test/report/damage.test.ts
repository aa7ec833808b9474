/** What happened to a campaign's files after it was measured stands beside its headline. */
import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { damageText } from '../../src/report/damage.js';
import { warnings } from '../../src/report/page/head.js';
import { readReport } from '../../src/report/read-report.js';
import { withCampaign } from '../support/report.js';

const asked = [{ repetitions: 20, inspections: 3 }];

describe('a launch whose samples were cut off after the record was written', () => {
  it('stands among what is to be known before any number', () =>
    withCampaign(asked, (folder) => {
      expect(damageText(readReport(folder).report.batches)).toBeNull();
      truncateSync(join(folder, 'inspections', '0.npz'), 100);
      const said = warnings(readReport(folder).report).join(' ');
      expect(said).toMatch(/1 launch .*no longer .*\(launch 1\).*those of the record/);
    }));
});

describe('launches that are not there', () => {
  it('are no damage: a record may be passed on alone', () =>
    withCampaign(asked, (folder) => {
      rmSync(join(folder, 'inspections'), { recursive: true });
      const { report } = readReport(folder);
      expect(report.batches[0]?.details?.missing).not.toEqual([]);
      expect(damageText(report.batches)).toBeNull();
    }));
});

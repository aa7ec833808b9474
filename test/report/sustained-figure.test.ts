/** What a sustained rate leaves out is said beside it: of ranks all that lies between two repetitions. */
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { type Figure, isDrawn } from '../../src/report/figures/figure.js';
import { sustained } from '../../src/report/figures/sustained.js';
import { LIGHT } from '../../src/report/figures/theme.js';
import { buildReport } from '../../src/report/model.js';
import { renderSvg } from '../../src/report/render.js';
import { asOverlap } from '../support/overlap.js';
import { recordOf } from '../support/records.js';
import { markdownOf } from '../support/report-markdown.js';

const matmul = recordOf({ batches: [{ launches: [1e-3, 1e-3] }] });
const ofRanks = asOverlap(matmul);
const mixed: PiBenchRecord = { ...matmul, batches: [...matmul.batches, ...ofRanks.batches] };

function figureOf(record: PiBenchRecord): Figure {
  const drawn = sustained.draw(buildReport(record, []));
  if (!isDrawn(drawn)) throw new Error(drawn.why);
  return drawn;
}

describe('the figure of sustained rates', () => {
  it('is over the wall clock, pauses included', async () => {
    const figure = figureOf(matmul);
    expect(figure.caption).toContain('pauses included');
    expect(figure.caption).not.toContain('ranks');
    expect(await renderSvg(figure.spec(LIGHT))).toContain('>over the wall clock (sustained)<');
  });

  it('is of ranks over all repetitions, and says that a stop between them is not seen', async () => {
    const figure = figureOf(ofRanks);
    expect(figure.caption).not.toMatch(/pauses included|whole time/);
    expect(figure.caption).toContain('without what ranks do between them');
    expect(figure.caption).toContain('a stop between two of them is not seen');
    expect(await renderSvg(figure.spec(LIGHT))).toContain('>over all repetitions (sustained)<');
  });

  it('says both where it has both, and names neither for all', async () => {
    const figure = figureOf(mixed);
    expect(figure.caption).toContain('pauses included');
    expect(figure.caption).toMatch(/Of ranks it is over all repetitions.*a stop there is not seen/);
    expect(await renderSvg(figure.spec(LIGHT))).not.toContain('over the wall clock');
  });
});

it('the table of rates says it, too', async () => {
  const rates = (await markdownOf(ofRanks)).split('## Rates')[1]?.split('\n## ')[0];
  expect(rates).toContain('of ranks over all repetitions, without what they do between two');
});

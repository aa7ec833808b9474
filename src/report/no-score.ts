/** What a report says in the place of a rate that there is none of. Pure. */
import { noScoreText } from '../readers/launch-counts.js';
import type { BatchModel, ReportModel } from './model.js';

/** Shapes are of launches where others measured. */
export const noScoreOf = ({ launches, shapeOf }: Pick<BatchModel, 'launches' | 'shapeOf'>) =>
  noScoreText({ inspections: launches, ...(shapeOf === 'launches' ? { imported: true } : {}) });

/** Of several: `no score` where a launch of any was begun. */
export const noScoreOfAll = (batches: readonly BatchModel[]) =>
  batches.every((batch) => noScoreOf(batch) === 'not measured') ? 'not measured' : 'no score';

/** The one number of a report. */
export const valueText = ({ headline, batches }: Pick<ReportModel, 'headline' | 'batches'>): string =>
  headline.value ?? noScoreOfAll(batches);

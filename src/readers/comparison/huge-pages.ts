/** Whether what is compared had as many huge pages behind its arrays: rates depend on them, and the kernel gives them or not. Pure. */
import { formatShare } from '../../quantities/format.js';
import { hugePagesOf } from '../huge-pages.js';
import type { Circumstance } from './circumstance.js';
import type { Entry } from './sides.js';

/** Of what huge pages have room for: some pages more or less are no other memory. */
const LEAST_DIFFERENCE = 0.05;

const shareOf = ({ batch }: Entry): number | null => hugePagesOf(batch)?.share ?? null;

export const HUGE_PAGES: Circumstance = {
  by: null,
  note: 'huge pages: of the room that arrays have for them, the sides had other shares (of each the launch in the middle), which may be why rates differ',
  weakness: {
    flag: 'other-huge-pages',
    text: 'of the room that its arrays have for huge pages it had another share (the launch in the middle)',
  },
  differences: (reference, candidate) => {
    const [own, other] = [shareOf(reference), shareOf(candidate)];
    return own === null || other === null || Math.abs(own - other) < LEAST_DIFFERENCE
      ? []
      : [[formatShare(own), formatShare(other)]];
  },
};

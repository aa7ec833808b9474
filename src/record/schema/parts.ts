/** What the schemas of all parts are made of. */
import { z } from 'zod';

/** How objects are made: with unknown fields rejected, or kept. */
export type ObjectOf = typeof z.strictObject;

export const seconds = z.number().describe('seconds');
/** Machine descriptions and telemetry have their own types; the record takes them as they come. */
export const plainJson = z.record(z.string(), z.json());

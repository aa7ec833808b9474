/** A validity flag: what spoils or limits a measurement, with the evidence that says so. */
export type FlagName =
  | 'throttled'
  | 'stolen'
  | 'migrated'
  | 'preempted'
  | 'drifting'
  | 'quantised'
  | 'clock-limited'
  | 'contended'
  | 'crowded'
  | 'mixed-cores'
  | 'skewed'
  | 'outlying'
  | 'not-steady'
  | 'stepped'
  | 'multimodal'
  | 'launches-not-independent'
  | 'above-ceiling'
  | 'peak-moved'
  | 'thermal'
  | 'power-capped'
  | 'power-limit-moved'
  | 'power-brake'
  | 'clock-held'
  | 'clock-not-settled'
  | 'foreign-load'
  | 'link-degraded'
  | 'far-memory'
  | 'device-errors';

export interface Flag {
  readonly name: FlagName;
  /** One sentence for a person: what happened and how much. */
  readonly reason: string;
  /** The figures the flag rests on. */
  readonly evidence: Readonly<Record<string, number | string | boolean | null>>;
}

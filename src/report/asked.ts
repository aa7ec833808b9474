/** What each batch was asked for, which tells it from the others: columns for a program. Pure. */
import type { Cell, Table } from './figures/figure.js';
import type { BatchModel } from './model.js';

const FIELDS = ['indicator', 'device', 'asked_repetitions', 'asked_seconds', 'asked_stack'] as const;

const fieldCells = ({ indicator, device, sampling, askedStack }: BatchModel): readonly Cell[] => [
  indicator,
  device,
  sampling?.kind === 'fixed' ? sampling.repetitions : null,
  sampling?.kind === 'budget' ? sampling.seconds : null,
  askedStack,
];

/** In the order in which they first stand. */
const keysOf = (all: readonly Readonly<Record<string, unknown>>[]): readonly string[] => [
  ...new Set(all.flatMap(Object.keys)),
];

const cell = (value: string | number | boolean | undefined): Cell =>
  typeof value === 'boolean' ? String(value) : (value ?? null);

/** Columns of parameters and labels are those that some batch has. */
export function askedTable(batches: readonly BatchModel[]): Table {
  const parameters = keysOf(batches.map((batch) => batch.parameters));
  const labels = keysOf(batches.map((batch) => batch.labels));
  return {
    columns: [
      ...FIELDS,
      ...parameters.map((name) => `parameter_${name}`),
      ...labels.map((name) => `label_${name}`),
    ],
    rows: batches.map((batch) => [
      ...fieldCells(batch),
      ...parameters.map((name) => cell(batch.parameters[name])),
      ...labels.map((name) => cell(batch.labels[name])),
    ]),
  };
}

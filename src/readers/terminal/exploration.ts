/** What `pi-bench explore --dry-run` prints for a person. */
import { plural } from '../../quantities/format.js';
import { type Cell, renderFitting } from './fitting-table.js';
import type { Style } from './style.js';
import { wrap } from './style.js';

export interface ShownCandidate {
  readonly name: string;
  readonly stack: string;
  readonly threads: string | null;
  readonly packages: readonly { readonly name: string; readonly version: string; readonly asked: boolean }[];
  readonly lock: string | null;
}

export interface ShownExploration {
  readonly strategy: string;
  readonly seed: number;
  readonly possible: number;
  readonly candidates: readonly ShownCandidate[];
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
}

function cellsOf({ name, stack, threads, packages, lock }: ShownCandidate): readonly Cell[] {
  const asked = packages.filter((one) => one.asked);
  const cell = (head: string, text: string, align: Cell['align'] = 'left'): Cell => ({ head, align, text });
  return [
    cell('candidate', name),
    cell('executed by', stack),
    cell('threads', threads ?? '', 'right'),
    cell('packages', asked.map((one) => `${one.name} ${one.version}`).join(', ')),
    cell('with', packages.length > asked.length ? `${packages.length - asked.length} more` : '', 'right'),
    cell('lock', lock?.slice(0, 12) ?? ''),
  ];
}

export function renderExploration(shown: ShownExploration, style: Style): string {
  const { strategy, seed, possible, candidates, skipped } = shown;
  const order = strategy === 'random' ? `random, seed ${seed}` : strategy;
  const head = `${style.bold(`${candidates.length} of ${plural(possible, 'candidate')}`)}  ${style.dim(order)}`;
  const table =
    candidates.length === 0
      ? []
      : [
          renderFitting(
            candidates.map(cellsOf),
            { optional: ['lock', 'with', 'threads', 'executed by'], shortened: 'packages' },
            style,
          ),
        ];
  const why = skipped.flatMap((one) =>
    wrap(`${one.name}: ${one.why}`, style.width - 4).map((line, i) => `${i === 0 ? '  ' : '    '}${line}`),
  );
  const left = skipped.length === 0 ? [] : ['', style.bold('Skipped'), ...why];
  return [head, ...table, ...left].join('\n');
}

/** Where the numbers of a report come from, in words: for a page and for a text. Pure. */
import { formatSeconds, formatShare, plural } from '../quantities/format.js';
import type { ReportModel } from './model.js';

/** Several texts are a list. */
export interface OriginRow {
  readonly name: string;
  readonly texts: readonly string[];
}

/** As somebody would type it. */
export const commandText = ({ command }: ReportModel): string =>
  [
    'pi-bench',
    ...command.map((part) => (/^[\w./:=@%+,-]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`)),
  ].join(' ');

/** How long it took, and what is not in that: a campaign that is complete has made lost launches again. null: not known. */
function timeText({ wall, measuredShare, unended, status }: ReportModel): string | null {
  if (wall === null) return null;
  const since = status === 'complete' ? ', and repeated since' : '';
  const lost =
    unended === 0
      ? ''
      : `; not in it: ${plural(unended, 'launch', 'launches')} lost when pi-bench was killed${since}`;
  return `${formatSeconds(wall, 3)}, ${formatShare(measuredShare ?? 0)} of it inside repetitions that count${lost}`;
}

const row = (name: string, text: string | null): OriginRow => ({ name, texts: text === null ? [] : [text] });

/** Where it was published, and what was not. */
function importedRows({ imported, batches }: ReportModel): readonly OriginRow[] {
  if (imported === null) return [];
  const { format, files, measured, notKnown } = imported;
  return [
    row('imported', `${plural(files.length, 'file')} of ${format}: pi-bench did not measure this`),
    row('measured', measured === null ? 'when is not known' : `${measured.from} to ${measured.to}`),
    { name: 'faults of the source', texts: [...new Set(batches.flatMap(({ remarks }) => remarks))] },
    { name: 'not known', texts: notKnown.map(({ what, why }) => `${what}: ${why}`) },
  ];
}

/** What is known of it: what executed, how long that took, who measured in our place, and on which machine. */
export function originRows(report: ReportModel): readonly OriginRow[] {
  const { batches, seed, machine } = report;
  const stacks = [...new Set(batches.map(({ stack }) => stack))];
  return [
    row('stack', stacks.length === 0 ? null : stacks.join('; ')),
    row('time', timeText(report)),
    row('seed', seed === null ? null : String(seed)),
    ...importedRows(report),
    ...machine.map(([name, text]) => row(name, text)),
  ].filter(({ texts }) => texts.length > 0);
}

/** What `pi-bench stacks` prints for a person. */
import type { Survey, SurveyedStack } from '../../stacks/survey.js';
import { packagesText } from './stack-row.js';
import type { Style } from './style.js';
import { type Row, renderRows } from './table.js';

/** Enough of a checksum to tell two builds apart at a glance; the whole of it is in the JSON. */
const SHORT_SUM = 16;

function rowsOf({ identity, variants, dtypes, problem }: SurveyedStack, style: Style): Row[] {
  const { version, chose, path, file, soname, package: owner, sha256 } = identity;
  const row = (name: string, text: string | null | undefined): Row[] =>
    text == null || text === '' ? [] : [[name, text]];
  return [
    ...row('cannot be measured', problem === null ? null : style.bad(problem)),
    ...row('version', version?.trim()),
    ...row('chose', chose),
    ...row('kernels', variants.join(', ')),
    ...row('data types', dtypes?.join(', ')),
    ...row('file', path ?? file),
    ...row('soname', soname),
    ...row('package', owner),
    ...row('npm packages', packagesText(identity)),
    ...row('sha256', sha256 === null ? null : `${sha256.slice(0, SHORT_SUM)}…`),
  ];
}

export function renderSurvey({ here, missing }: Survey, style: Style): string {
  const found = here.map(
    (one) =>
      `${style.bold(`--stack ${one.stack}`)}  ${style.dim(one.summary)}\n${renderRows(rowsOf(one, style), style)}`,
  );
  if (missing.length === 0) return found.join('\n\n');
  const rows = missing.map(({ provider, needed }): Row => [provider, needed]);
  return [...found, `${style.bold('Not found here')}\n${renderRows(rows, style)}`].join('\n\n');
}

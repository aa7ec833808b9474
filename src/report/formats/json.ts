/** The report as data, for programs that draw it themselves. */
import type { Format, Request } from './format.js';

const textOf = ({ read }: Request): string => `${JSON.stringify(read.report, null, 1)}\n`;

export const json: Format = {
  name: 'json',
  kind: 'text',
  place: '',
  async *text(request) {
    yield textOf(request);
  },
  async *files(request) {
    yield { name: 'report.json', text: textOf(request) };
  },
};

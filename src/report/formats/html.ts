/** The page: one HTML file with everything in it. */
import { pageHtml } from '../page/page.js';
import type { Format, Request } from './format.js';

async function* text({ read: { report, recordText } }: Request): AsyncIterable<string> {
  const { renderSvg } = await import('../render.js');
  yield await pageHtml({ report, recordText, renderSvg });
}

export const html: Format = {
  name: 'html',
  kind: 'file',
  place: 'report.html',
  text,
  async *files(request) {
    for await (const page of text(request)) yield { name: 'report.html', text: page };
  },
};

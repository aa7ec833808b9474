/** The page: one HTML file with everything in it. */
import type { Format, Request } from './format.js';

async function* text({ read: { report, recordText } }: Request): AsyncIterable<string> {
  // Every command loads this file; only a report that is made loads what draws.
  const [{ pageHtml }, { renderSvg }] = await Promise.all([
    import('../page/page.js'),
    import('../render.js'),
  ]);
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

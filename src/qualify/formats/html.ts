/** The report of the record, whose head is the verdict: one page with everything in it. */
import type { VerdictFormat } from './format.js';

export const html: VerdictFormat = {
  name: 'html',
  file: 'report.html',
  async text(_, path) {
    // Only who asks for a page waits for what draws it.
    const [{ readReport }, { pageHtml }, { renderSvg }] = await Promise.all([
      import('../../report/read-report.js'),
      import('../../report/page/page.js'),
      import('../../report/render.js'),
    ]);
    const { report, recordText } = readReport(path);
    return pageHtml({ report, recordText, renderSvg });
  },
};

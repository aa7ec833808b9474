/** Every figure as a picture of its own, in fixed light colours, for documents and slides. */
import type { Format, OutputFile, Request } from './format.js';

/** The title and the description are what the picture shows to who does not see it. */
function described(svg: string, title: string, description: string): string {
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return svg.replace(/<svg([^>]*)>/, (_, attributes: string) => {
    return `<svg${attributes} role="img"><title>${escaped(title)}</title><desc>${escaped(description)}</desc>`;
  });
}

/** @param folder before each name, with its slash, or '' */
export async function* svgFiles({ read }: Request, folder: string): AsyncIterable<OutputFile> {
  // Every command loads this file; only a report that is made loads what draws.
  const [{ drawFigures, drawn }, { LIGHT }, { renderSvg }] = await Promise.all([
    import('../figures/index.js'),
    import('../figures/theme.js'),
    import('../render.js'),
  ]);
  for (const { id, result } of drawn(drawFigures(read.report))) {
    const svg = await renderSvg(result.spec(LIGHT));
    yield { name: `${folder}${id}.svg`, text: `${described(svg, result.title, result.alternative)}\n` };
  }
}

export const svg: Format = {
  name: 'svg',
  kind: 'folder',
  place: 'figures',
  text: null,
  files: (request) => svgFiles(request, ''),
};

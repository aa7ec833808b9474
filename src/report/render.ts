/** A specification as a still picture. Vega takes a fifth of a second to load: only who draws imports this file. */
import * as vega from 'vega';
import { textWidth } from './letter-widths.js';

/** Vega exports it, and its types do not say so. */
interface TextMetrics {
  width: (item: { readonly fontSize?: number; readonly fontWeight?: unknown }, text: unknown) => number;
}

// What Vega assumes without a screen knows no letters: it would push axes far into the picture, or cut names off.
(vega as unknown as { readonly textMetrics: TextMetrics }).textMetrics.width = (
  { fontSize = 11, fontWeight },
  text,
) => textWidth(String(text ?? ''), fontWeight) * fontSize;

/** A hundredth of a pixel is nothing to see, and digits are most of a picture's size. */
const rounded = (svg: string): string =>
  svg.replaceAll(/(="[^"]*")/g, (attribute) =>
    /^="(?:M|translate\(|-?[\d.]+")/.test(attribute)
      ? attribute.replaceAll(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2))))
      : attribute,
  );

/** Vega writes out what is the default anyway. */
const plain = (svg: string): string =>
  svg.replaceAll(/ (?:opacity="1"|stroke-width="1"|pointer-events="none")/g, '');

const SHARED = /^(?:fill|stroke|stroke-width|stroke-opacity|fill-opacity|stroke-dasharray)$/;

/** What every element of a mark has alike is said once, at their group. */
const hoisted = (svg: string): string =>
  svg.replaceAll(
    /(<g class="mark-(?:symbol|rule|rect)[^>]*)>((?:<(?:path|line) [^>]*\/>){2,})<\/g>/g,
    (whole, group, inside) => {
      const elements = String(inside).split('/>').slice(0, -1);
      const attributes = [...(elements[0] ?? '').matchAll(/ ([\w-]+)="[^"]*"/g)];
      const shared = attributes
        .filter(
          ([text, name]) => SHARED.test(name ?? '') && elements.every((element) => element.includes(text)),
        )
        .map(([text]) => text);
      if (shared.length === 0) return whole;
      const rest = elements.map((element) => shared.reduce((left, text) => left.replace(text, ''), element));
      return `${group}${shared.join('')}>${rest.join('/>')}/></g>`;
    },
  );

export async function renderSvg(spec: vega.Spec): Promise<string> {
  const view = new vega.View(vega.parse(spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return hoisted(plain(rounded(svg)));
}

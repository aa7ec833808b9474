/** A real browser without a screen, where this machine has one. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { root } from './pi-bench.js';

const CHROMIUM = '/usr/bin/chromium';
/** Of one step; a figure takes a tenth of a second. */
const LIMIT_MS = 60_000;
export const hasBrowser = existsSync(CHROMIUM);
export const NO_BROWSER = `${CHROMIUM} is missing: apt-get install chromium`;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    timeout: LIMIT_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });

export interface View {
  readonly width: number;
  readonly height: number;
  readonly script?: boolean;
  /** Names of the figures that are to come alive, where not all are looked at. */
  readonly alive?: readonly string[];
}

export interface Opened {
  readonly page: Page;
  /** What the console said, and errors that nobody caught. */
  readonly complaints: readonly string[];
  /** Whatever was asked for but the page itself. */
  readonly requests: readonly string[];
}

/** Opens a file, with every part of it unfolded and every figure in it alive, or only those that are named. */
export async function openReport(browser: Browser, path: string, view: View): Promise<Opened> {
  const { width, height, script = true, alive } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    javaScriptEnabled: script,
    acceptDownloads: true,
  });
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  const url = pathToFileURL(path).href;
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url) requests.push(request.url().slice(0, 100));
  });
  await page.goto(url);
  if (script) await enliven(page, alive);
  return { page, complaints, requests };
}

/** Figures come alive as they come near: each is brought near once. By one call, for each takes longer than what it asks for. */
async function enliven(page: Page, names?: readonly string[]): Promise<void> {
  const wanted = names?.map((name) => `.plot[data-figure="${name}"]`) ?? ['.plot'];
  await page.evaluate(`(async () => {
    for (const part of document.querySelectorAll('details')) part.open = true;
    for (const plot of document.querySelectorAll(${JSON.stringify(wanted.join(', '))})) {
      plot.scrollIntoView();
      for (const end = performance.now() + ${LIMIT_MS}; !plot.classList.contains('alive'); ) {
        if (performance.now() > end) throw new Error(plot.dataset.figure + ' does not come alive');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    window.scrollTo(0, 0);
  })()`);
}

/** A picture of the whole page in test/artefacts, for people to look at: where they ask for it by KEEP_PICTURES=1. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env.KEEP_PICTURES !== '1') return;
  const folder = join(root, 'test', 'artefacts');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Elements that a named mark of a figure drew. */
export const countMarks = (page: Page, figure: string, mark: string): Promise<number> =>
  page
    .locator(`[data-figure="${figure}"] g.${mark}.role-mark`)
    .locator(':scope > path, :scope > line')
    .count();

/** Letters that reach out of their picture, and so are cut off: their figure and what they say. */
export const CUT_OFF = `[...document.querySelectorAll('.plot')].flatMap((plot) => {
  const frame = plot.querySelector('svg').getBoundingClientRect();
  return [...plot.querySelectorAll('svg text')]
    .filter((text) => {
      const { left, right, top, bottom, width } = text.getBoundingClientRect();
      const inside = left >= frame.left - 1 && right <= frame.right + 1 && top >= frame.top - 1 && bottom <= frame.bottom + 1;
      return width > 0 && !inside;
    })
    .map((text) => plot.dataset.figure + ': ' + text.textContent);
})`;

/** Contrast (WCAG 2.1) of the letters of a few kinds of text with what is behind them. */
export const CONTRASTS = `(() => {
  const channel = (value) => { const c = value / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  return ['h1', 'p.quiet', '.value', '.badge', 'dt', 'dd', 'td', 'figcaption', 'a[download]', '.tools button', 'footer p', '.plot svg text']
    .flatMap((selector) => {
      const element = document.querySelector(selector);
      if (element === null) return [];
      const style = getComputedStyle(element);
      const colour = element instanceof SVGElement ? style.fill : style.color;
      return [[selector, element.matches(':disabled') ? 21 : ratio(parse(colour), behind(element))]];
    });
})()`;

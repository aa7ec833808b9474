/** A real browser without a screen, where this machine has one. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { root } from './pi-bench.js';

const CHROMIUM = '/usr/bin/chromium';
/** Of one step; a figure takes a tenth of a second. */
const LIMIT_MS = 15_000;
export const hasBrowser = existsSync(CHROMIUM);
export const NO_BROWSER = `${CHROMIUM} is missing: apt-get install chromium`;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });

export interface View {
  readonly width: number;
  readonly height: number;
  readonly scheme?: 'light' | 'dark';
  readonly script?: boolean;
}

export interface Opened {
  readonly page: Page;
  /** What the console said, and errors that nobody caught. */
  readonly complaints: readonly string[];
  /** Whatever was asked for but the page itself. */
  readonly requests: readonly string[];
}

/** Opens a file, with every part of it unfolded and every figure in it alive. */
export async function openReport(browser: Browser, path: string, view: View): Promise<Opened> {
  const { width, height, scheme = 'light', script = true } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
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
  if (script) await enliven(page);
  return { page, complaints, requests };
}

/** Figures come alive as they come near: each is brought near once. */
async function enliven(page: Page): Promise<void> {
  for (const part of await page.locator('details').all()) {
    if ((await part.getAttribute('open')) === null) await part.locator('summary').click();
  }
  for (const plot of await page.locator('.plot').all()) {
    await plot.scrollIntoViewIfNeeded();
    await plot.and(page.locator('.alive')).waitFor({ state: 'attached' });
  }
  await page.evaluate('window.scrollTo(0, 0)');
}

/** A picture of the whole page in test/artefacts, which people look at. */
export async function keepPicture(page: Page, name: string): Promise<void> {
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

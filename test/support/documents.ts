/** What people read: README.md, ARCHITECTURE.md and all pages of docs. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './pi-bench.js';

export interface Page {
  /** From the root. */
  readonly path: string;
  readonly text: string;
}

const docs = readdirSync(join(root, 'docs'), { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

export const pages: readonly Page[] = ['README.md', 'ARCHITECTURE.md', ...docs].map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

export function pageOf(path: string): string {
  const page = pages.find((one) => one.path === path);
  if (page === undefined) throw new Error(`there is no page ${path}`);
  return page.text;
}

/** What stands in blocks: of this language, or of any. */
export const blocksOf = (text: string, language = '\\w*'): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );

/** Text without its blocks. */
export const runningText = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

export interface Link {
  readonly link: string;
  /** From the root; of a link within a page that page. */
  readonly file: string;
  readonly anchor: string | undefined;
}

/** Links that lead to files of this tree. */
export const linksOf = ({ path, text }: Page): readonly Link[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([link, to = '', anchor]) => ({
    link,
    file: to === '' ? path : join(dirname(path), to),
    anchor,
  }));

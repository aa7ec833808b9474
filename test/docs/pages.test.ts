/** Pages hold together: links lead somewhere, nothing is out of reach, and what README.md sends people to is in the package. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suiteFrom } from '../../src/cli/qualification/suites.js';
import { parseStackFile } from '../../src/stacks/own/stack-file.js';
import { blocksOf, linksOf, pageOf, pages } from '../support/documents.js';
import { root } from '../support/pi-bench.js';

const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );

it('each link leads to a file, and to a heading of it', () => {
  const broken = pages.flatMap((page) =>
    linksOf(page).flatMap(({ link, file, anchor }) => {
      if (!existsSync(join(root, file))) return [`${page.path}: ${link}`];
      const leads =
        anchor === undefined || anchorsOf(readFileSync(join(root, file), 'utf8')).includes(anchor);
      return leads ? [] : [`${page.path}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

it('no heading of a page is there twice, as a link would lead to the first', () => {
  // A table that was printed several times has its headings.
  const printed = /^docs\/(?:performance|coverage|gpu\/)/;
  const twice = pages
    .filter(({ path }) => !printed.test(path))
    .flatMap(({ path, text }) => {
      const anchors = anchorsOf(text.replaceAll(/^```[\s\S]*?^```$/gm, ''));
      return anchors
        .filter((anchor, i) => anchors.indexOf(anchor) !== i)
        .map((anchor) => `${path}: ${anchor}`);
    });
  expect(twice).toEqual([]);
});

describe('README.md', () => {
  const lines = pageOf('README.md').split('\n');

  it('is read in five minutes', () => {
    expect(lines.length).toBeLessThanOrEqual(250);
  });

  it('has a place for each page in its index', () => {
    const index = pageOf('README.md').slice(pageOf('README.md').indexOf('## Documents'));
    const named = linksOf({ path: 'README.md', text: index }).map(({ file }) => file);
    // Tables that a benchmark printed stand in docs/benchmarks.md, results of GPUs in docs/gpus.md.
    const elsewhere = [
      ...linksOf({ path: 'docs/benchmarks.md', text: pageOf('docs/benchmarks.md') }),
      ...linksOf({ path: 'docs/gpus.md', text: pageOf('docs/gpus.md') }),
    ].map(({ file }) => file);
    const isTable = (path: string): boolean => /^docs\/(?:performance|gpu\/)/.test(path);
    const lost = pages
      .map(({ path }) => path)
      .filter((path) => path !== 'README.md' && !(isTable(path) ? elsewhere : named).includes(path));
    expect(lost).toEqual([]);
  });
});

it('each page begins with what it is for', () => {
  const silent = pages
    .filter(({ path }) => path.startsWith('docs/') && !path.startsWith('docs/gpu/'))
    .filter(({ text }) => !/^# .+\n\n[A-Z`].{40,}/.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

it('each flag is explained', () => {
  const types = readFileSync(join(root, 'src', 'statistics', 'validity', 'types.ts'), 'utf8');
  const [union = ''] = /type FlagName =[^;]*;/.exec(types) ?? [];
  const flags = [...union.matchAll(/'([a-z-]+)'/g)].map(([, name = '']) => name);
  expect(flags.length).toBeGreaterThan(25);
  const ofCpus = pageOf('docs/trust.md');
  const ofGpus = pageOf('docs/gpus.md');
  expect(flags.filter((flag) => ![ofCpus, ofGpus].some((page) => page.includes(`| \`${flag}\` |`)))).toEqual(
    [],
  );
});

it('each page that the sources name is there', () => {
  const files = ['src', 'scripts', 'native', 'kernels', 'bin', 'assets']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|m?js|cc|h|sh|yaml)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    .concat(join(root, 'ARCHITECTURE.md'));
  const named = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bdocs\/[\w./-]+\.md\b/g)].map(([page]) => page),
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((page) => !existsSync(join(root, page)))).toEqual([]);
});

describe('an example of a file', () => {
  const examples = pages.flatMap(({ path, text }) =>
    blocksOf(text, 'yaml').map((block) => ({ path, block })),
  );

  it('is a campaign, a suite or a stack file', () => {
    const kinds = examples.map(({ block }) => /^(?:measure|checks|extends|stacks):/m.exec(block)?.[0]);
    expect(kinds).not.toContain(undefined);
  });

  it('of a suite is one', () => {
    const suites = examples.filter(({ block }) => /^(?:checks|extends):/m.test(block));
    expect(suites.length).toBeGreaterThan(0);
    for (const { path, block } of suites) expect(() => suiteFrom(block, path)).not.toThrow();
  });

  it('of stacks is a stack file', () => {
    const files = examples.filter(({ block }) => /^stacks:/m.test(block));
    expect(files.length).toBeGreaterThan(1);
    for (const { path, block } of files) expect(parseStackFile(block, path).length).toBeGreaterThan(0);
  });
});

describe('the package', () => {
  const packed = (): ReadonlySet<string> => {
    const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(told) as [{ files: readonly { path: string }[] }];
    return new Set(files.map(({ path }) => path));
  };

  it('has the pages that its pages lead to, but for long tables, to which one page leads that says so', () => {
    const inside = packed();
    const published = pages.filter(({ path }) => inside.has(path));
    expect(published.length).toBeGreaterThan(20);
    const outside = published.flatMap((page) =>
      linksOf(page)
        .map(({ file }) => file.replace(/\/$/, ''))
        .filter((file) => !inside.has(file))
        .map((file) => ({ from: page.path, file })),
    );
    expect(outside.filter(({ file }) => !file.startsWith('docs/performance'))).toEqual([]);
    expect([...new Set(outside.map(({ from }) => from))]).toEqual(['docs/benchmarks.md']);
    expect(pageOf('docs/benchmarks.md')).toContain('not in the package');
  });
});

import { describe, expect, it } from 'vitest';
import { aptComplaint, npmComplaint } from '../../../src/stacks/own/complaints.js';
import { librariesIn } from '../../../src/stacks/own/debian.js';

describe('what a package manager complains of', () => {
  it.each([
    [
      'npm error code E404\nnpm error 404 Not Found - GET there\nnpm error 404\nnpm error A complete log of this',
      'Not Found - GET there (E404)',
    ],
    [
      'npm error code ETARGET\nnpm error notarget No matching version found for a@9.\nnpm error notarget In most cases',
      'notarget No matching version found for a@9. (ETARGET)',
    ],
    [
      'npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install\nnpm error Missing: a@1.0.0 from lock file',
      'the lockfile does not fit the packages: Missing: a@1.0.0 from lock file',
    ],
    [
      'npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\nnpm error Found: a@1.0.0\nnpm error peer a@"^2" from b@1.0.0',
      'the packages do not fit together: peer a@"^2" from b@1.0.0',
    ],
    ['npm error code EINTEGRITY', 'EINTEGRITY'],
  ])('of npm is one line: %j', (stderr, line) => {
    expect(npmComplaint(stderr)).toBe(line);
  });

  it.each([
    ['W: x\nE: Unable to locate package a\nE: other', /^Unable to locate package a \(are apt’s lists there/],
    ['E: Failed to fetch it', /^Failed to fetch it$/],
  ])('of apt is its first error, and what to do: %j', (stderr, line) => {
    expect(aptComplaint(stderr)).toMatch(line);
  });

  it('is left to others where there is none of its own', () => {
    expect(npmComplaint('Segmentation fault')).toBeNull();
    expect(aptComplaint('')).toBeNull();
  });
});

it('the libraries of a package are its files and links that are shared objects', () => {
  const contents = [
    'drwxr-xr-x root/root         0 2022-06-04 01:45 ./usr/lib/',
    '-rw-r--r-- root/root  12136224 2022-06-04 01:45 ./usr/lib/x/libblas.so.3',
    'lrwxrwxrwx root/root         0 2022-06-04 01:45 ./usr/lib/x/libblas.so -> libblas.so.3',
    '-rw-r--r-- root/root      3188 2022-06-04 01:45 ./usr/share/doc/a b.sources',
  ].join('\n');
  expect(librariesIn(contents)).toEqual(['/usr/lib/x/libblas.so.3', '/usr/lib/x/libblas.so']);
});

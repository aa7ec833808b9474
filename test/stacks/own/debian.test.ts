/** What is read of Debian's own lists. */
import { expect, it } from 'vitest';
import { versionsIn } from '../../../src/stacks/own/debian.js';

it('the versions of packages that a stack leaves to the system are those that are installed', () => {
  const listed = [
    'libc6\tinstalled\t2.36-9+deb12u14',
    'libc6-dev\tinstalled\t2.36-9+deb12u14',
    'libgcc-s1\tconfig-files\t12.2.0-14',
    '',
  ].join('\n');
  expect(versionsIn(listed, ['libc6', 'libgcc-s1'])).toEqual({ libc6: '2.36-9+deb12u14' });
});

/** What makes a launch none of its batch. */
import { expect, it } from 'vitest';
import { type Launched, otherThanFirst } from '../../src/record/one-build.js';
import { specOf } from '../support/campaign.js';

const ofAddon = (index: number, sha256: string | null): Launched => ({
  index,
  stack: {
    provider: 'embedded',
    variant: null,
    version: '1',
    file: 'pibench.node',
    sha256,
    implementation: 'avx2',
  },
});

it('is another build of our own kernels, too, as whoever resumes is held to the file that measured before', () => {
  const [first, same, other] = [ofAddon(0, 'a'), ofAddon(1, 'a'), ofAddon(2, 'b')] as const;
  const all = [first, same, other];
  expect(otherThanFirst(same, all, specOf())).toBeNull();
  expect(otherThanFirst(other, all, specOf())).toBe(
    'it ran another build of embedded than launch 1: b, not a',
  );
  const unknown = [ofAddon(0, null), ofAddon(1, null)] as const;
  expect(otherThanFirst(unknown[1], unknown, specOf())).toBeNull();
});

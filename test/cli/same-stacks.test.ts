/** Which stacks a campaign that goes on is held to. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { BatchSoFar } from '../../src/cli/where-it-stands.js';
import type { InspectionDocument } from '../../src/record/schema.js';
import type { identifyStack } from '../../src/stacks/own/own-stack.js';
import { campaignOf, specOf } from '../support/campaign.js';
import { withModule } from '../support/mocked.js';

const identify = vi.fn<typeof identifyStack>();
const { checkSameStacks } = await withModule(
  'src/stacks/own/own-stack.ts',
  { identifyStack: identify },
  () => import('../../src/cli/same-stacks.js'),
);

/** What lies there now. */
const HERE: Readonly<Record<string, string>> = { openblas: 'new', blis: 'old' };

const identityOf = (provider: string, sha256: string | undefined) => ({
  provider,
  variant: null,
  version: null,
  file: 'lib.so',
  sha256: sha256 ?? null,
});

beforeEach(() => {
  identify.mockReset();
  identify.mockImplementation((_, { provider }) => identityOf(provider, HERE[provider]));
});

const batchOn = (provider: string, ran: string | null): BatchSoFar => ({
  batch: specOf({ stack: { provider, variant: null } }),
  toCome: 1,
  first:
    ran === null
      ? null
      : ({ index: 4, stack: { ...identityOf(provider, ran), implementation: null } } as InspectionDocument),
  environment: null,
});
const check =
  (...held: readonly BatchSoFar[]) =>
  () =>
    checkSameStacks(campaignOf(held.map(({ batch }) => batch)), held);

it('refuses another build than that of a launch that is there', () => {
  expect(check(batchOn('blis', 'old'), batchOn('openblas', 'old'))).toThrow(
    /^what is left of this campaign would run another build of openblas than launch 5: new, not old: resume/,
  );
});

it('goes on where the other build is of a batch that has begun with it, or has not begun', () => {
  expect(check(batchOn('blis', 'old'), batchOn('openblas', 'new'))).not.toThrow();
  expect(check(batchOn('blis', 'old'), batchOn('openblas', null))).not.toThrow();
});

it('looks once at what several batches are on, and holds each to its own launch', () => {
  expect(check(batchOn('openblas', 'new'), batchOn('openblas', 'old'))).toThrow(/another build of openblas/);
  expect(identify).toHaveBeenCalledTimes(1);
});

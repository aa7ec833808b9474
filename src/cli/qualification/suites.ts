/** Finds a suite: a shipped one by its tier, or a file's text; and what --require asks of it. The edge to the disk. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../errors.js';
import { packageRoot } from '../../package.js';
import { parseSuite, type Suite } from '../../qualify/suite.js';
import { CHECKS, type Tier } from '../../qualify/suite-file.js';

const shipped = (tier: Tier): string =>
  readFileSync(join(packageRoot, 'assets', 'suites', `${tier}.yaml`), 'utf8');

export const shippedSuite = (tier: Tier): Suite => parseSuite(shipped(tier), `${tier}.yaml`, shipped, tier);

/** @throws UserError that names the line */
export const suiteFrom = (text: string, file: string): Suite => parseSuite(text, file, shipped);

/**
 * A suite of which some checks have to be judged, whatever the suite itself leaves open.
 * @throws UserError for a check that the suite does not have
 */
export function requiring(suite: Suite, text: string | null): Suite {
  if (text === null) return suite;
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!CHECKS.includes(name))
      throw new UserError(`--require ${name}: there is no such check; there is ${CHECKS.join(', ')}`);
    if (!suite.checks.some(({ check }) => check === name))
      throw new UserError(`--require ${name}: suite ${suite.name} has no such check`);
  }
  const checks = suite.checks.map((one) =>
    names.includes(one.check) && one.required !== true
      ? { ...one, required: true as const, asKind: true as const }
      : one,
  );
  return { ...suite, checks };
}

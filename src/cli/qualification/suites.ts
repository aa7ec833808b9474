/** Finds a suite: a shipped one by its tier, or a file. The edge to the disk. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../errors.js';
import { packageRoot } from '../../package.js';
import { parseSuite, type Suite, type Tier } from '../../qualify/suite.js';

const shipped = (tier: Tier): string =>
  readFileSync(join(packageRoot, 'assets', 'suites', `${tier}.yaml`), 'utf8');

export const shippedSuite = (tier: Tier): Suite => parseSuite(shipped(tier), `${tier}.yaml`, shipped, tier);

/** @throws UserError that names the line */
export function suiteOf(path: string): Suite {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${messageOf(error)}; --suite takes a suite file`);
  }
  return parseSuite(content, path, shipped);
}

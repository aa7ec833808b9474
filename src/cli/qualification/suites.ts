/** Finds a suite: a shipped one by its tier, or a file's text. The edge to the disk. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../package.js';
import { parseSuite, type Suite, type Tier } from '../../qualify/suite.js';

const shipped = (tier: Tier): string =>
  readFileSync(join(packageRoot, 'assets', 'suites', `${tier}.yaml`), 'utf8');

export const shippedSuite = (tier: Tier): Suite => parseSuite(shipped(tier), `${tier}.yaml`, shipped, tier);

/** @throws UserError that names the line */
export const suiteFrom = (text: string, file: string): Suite => parseSuite(text, file, shipped);

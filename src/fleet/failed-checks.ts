/** Checks of a node's own that failed: the cause that each stands for, and what is to be done as the check itself has it. Pure. */
import { causeCalled } from '../qualify/causes.js';
import { CAUSE_NAMES, type CauseName, type Severity } from './causes.js';
import type { NodeCheck, NodeHead } from './node-line.js';

export const failedChecksOf = ({ checks }: Pick<NodeHead, 'checks'>): readonly NodeCheck[] =>
  checks.filter(({ verdict }) => verdict === 'fail');

/** What a fleet calls otherwise than qualify does. */
const CALLED: Readonly<Record<string, CauseName>> = {
  'lost-launch': 'lost',
  link: 'link-degraded',
  'power-brake': 'power',
  'power-limit': 'power',
  'clock-held': 'power',
  busy: 'neighbours',
  stolen: 'neighbours',
};

export const causeOfCheck = ({ cause }: Pick<NodeCheck, 'cause'>): CauseName =>
  cause !== null && Object.hasOwn(CALLED, cause)
    ? (CALLED[cause] as CauseName)
    : (CAUSE_NAMES.find((name) => name === cause) ?? 'failed-check');

export interface Advice {
  readonly severity: Severity;
  readonly action: string;
}

/** What keeps a node from work longest comes first. */
const GRAVEST: readonly Severity[] = ['isolate', 'reset', 'triage', 'config', 'monitor'];

/** What failed checks of that cause say is to be done; null: none of them says. */
export function adviceOf(failed: readonly NodeCheck[], cause: CauseName): Advice | null {
  const own = failed
    .filter((check) => causeOfCheck(check) === cause)
    .flatMap((check) => causeCalled(check.cause) ?? [])
    .sort((a, b) => GRAVEST.indexOf(a.severity) - GRAVEST.indexOf(b.severity));
  const [first] = own;
  return first === undefined ? null : { severity: first.severity, action: first.action };
}

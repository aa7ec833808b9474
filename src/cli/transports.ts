/** The transports of collectives, each with what executes it here, or with what would be needed for it. */
import { UserError } from '../errors.js';
import { TRANSPORTS } from '../indicators/collective-cases.js';
import { chooseMpiHere } from '../mpi/here.js';
import { findStack } from '../stacks/index.js';

export interface TransportHere {
  readonly name: (typeof TRANSPORTS)[number];
  /** What executes it; null: it is not here. */
  readonly found: string | null;
  /** What somebody does to have it; null: nothing. */
  readonly needed: string | null;
}

type Found = Omit<TransportHere, 'name'>;

/** Also under a launcher: what a campaign that is not would take. */
function mpi(): Found {
  try {
    const { library, launcher } = chooseMpiHere({}, null);
    return { found: `${library}, its ranks started by ${launcher}`, needed: null };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { found: null, needed: error.message };
  }
}

function ofStack(provider: 'nccl' | 'gloo'): Found {
  const stack = findStack(provider);
  const [path] = stack.variants().here;
  return path === undefined
    ? { found: null, needed: stack.library?.needed ?? null }
    : { found: path, needed: null };
}

const FIND: Readonly<Record<TransportHere['name'], () => Found>> = {
  shm: () => ({ found: 'our own algorithms', needed: null }),
  mpi,
  nccl: () => ofStack('nccl'),
  gloo: () => ofStack('gloo'),
};

export const transportsHere = (): readonly TransportHere[] =>
  TRANSPORTS.map((name) => ({ name, ...FIND[name]() }));

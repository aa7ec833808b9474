/** What tells a stack from another whose file is the same, in words. Pure. */
import type { RecordBatch } from '../../record/schema.js';

type Stack = RecordBatch['stack'];

const DIGITS = 12;

export const shortHash = (hash: string): string => hash.slice(0, DIGITS);

/** Those that a framework consists of: `onnxruntime-common 1.30.0`. */
export const packageTexts = ({ packages = {} }: Stack): readonly string[] =>
  Object.entries(packages).map(([name, version]) => `${name} ${version}`);

/** The library that exchanges the data of ranks of MPI: `Open MPI v4.1.4 0123456789ab`. Its name and version begin a long banner. */
export function mpiTexts({ mpi }: Stack): readonly string[] {
  if (mpi === undefined) return [];
  const [name = ''] = (mpi.version ?? 'MPI library').trim().split(/[,\n]/);
  const checksum = mpi.sha256 === null ? [] : [shortHash(mpi.sha256)];
  return [[name.replaceAll(/\s+/g, ' '), ...checksum].join(' ')];
}

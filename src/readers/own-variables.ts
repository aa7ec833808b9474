/** The variables of a stack from a stack file, as people read them. Pure. */
import type { StackIdentity } from '../record/schema.js';

/** `OPENBLAS_CORETYPE=Haswell`, `without OMP_SCHEDULE` */
export const variableTexts = ({ environment }: NonNullable<StackIdentity['own']>): readonly string[] =>
  Object.entries(environment).map(([name, value]) =>
    value === null ? `without ${name}` : `${name}=${value}`,
  );

/** What a launch's process used, by the names of getrusage, all sixteen of them. Pure. */
import { UserError } from '../../errors.js';
import type { InspectionDocument } from '../../record/schema.js';

const KIB = 1024;

/** Linux counts none of these: getrusage gives 0 for them on every kernel. */
const NOT_COUNTED = {
  ru_ixrss: 0,
  ru_idrss: 0,
  ru_isrss: 0,
  ru_nswap: 0,
  ru_msgsnd: 0,
  ru_msgrcv: 0,
  ru_nsignals: 0,
};

/** @throws UserError for a document from before pi-bench read it: Thoth's table takes no row without */
export function usageOf({ usage, campaign, index }: InspectionDocument): Readonly<Record<string, number>> {
  if (usage === undefined) {
    throw new UserError(
      `inspection ${index} of ${campaign} was measured by a pi-bench that did not record what its process used, and Thoth takes no document without: measure again`,
    );
  }
  return {
    ...NOT_COUNTED,
    ru_utime: usage.userSeconds,
    ru_stime: usage.systemSeconds,
    ru_maxrss: usage.maxResidentBytes / KIB,
    ru_minflt: usage.minorFaults,
    ru_majflt: usage.majorFaults,
    ru_inblock: usage.blockInputs,
    ru_oublock: usage.blockOutputs,
    ru_nvcsw: usage.voluntarySwitches,
    ru_nivcsw: usage.involuntarySwitches,
  };
}

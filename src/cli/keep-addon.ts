/** A campaign that is resumed goes on with the file of the addon that measured what is there: what is built first may have been all there was. */
import { existsSync, readFileSync } from 'node:fs';
import { type Done, doneSoFar } from '../campaign/progress-of-journal.js';
import { UserError } from '../errors.js';
import { addonPath, builtAddons, useAddon } from '../native.js';
import { sha256 } from '../record/digest.js';
import type { InspectionDocument } from '../record/schema.js';
import type { Journal } from '../store/journal.js';
import { readInspection } from '../store/read-inspection.js';
import { inspectionPath } from '../store/store.js';

type Stack = InspectionDocument['stack'];

const isAddon = ({ provider, file }: Stack): boolean =>
  provider === 'embedded' && file?.endsWith('.node') === true;

/** What our own kernels were in the first launch that has them; null: none has, or none can be read. */
function measuredWith(folder: string, { ends, open }: Done): Stack | null {
  // A launch may have left its document just before the kill.
  for (const index of [...ends.keys(), ...open.keys()]) {
    try {
      const stack = readInspection(folder, inspectionPath(index))?.document.stack;
      if (stack !== undefined && isAddon(stack)) return stack;
    } catch (error) {
      // It will be measured again, which is said where that is decided.
      if (!(error instanceof UserError)) throw error;
    }
  }
  return null;
}

const isOf = (path: string, { sha256: sum }: Stack): boolean =>
  sum === null || sha256(readFileSync(path)) === sum;

/**
 * To be called before the addon is loaded, where something may be left to launch.
 * @throws UserError where what measured the launches that are there is not built any more
 */
export function keepAddon(folder: string, { entries }: Journal): void {
  const stack = measuredWith(folder, doneSoFar(entries));
  if (stack === null) return;
  const path = [addonPath(), ...builtAddons()].find((one) => existsSync(one) && isOf(one, stack));
  if (path === undefined)
    throw new UserError(
      `this campaign was begun with another build of the addon (${stack.file}), and launches of two builds cannot be one batch: start it anew`,
    );
  useAddon(path);
}

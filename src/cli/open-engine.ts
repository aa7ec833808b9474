/** The engine of a campaign on this machine, and its ranks tried: a signal ends what that has started, and the command with it. */
import { constants } from 'node:os';
import { EXIT, UserError } from '../errors.js';
import type { OpenEngine } from '../execution/engine.js';
import { openEngine } from '../execution/engines.js';
import type { Standby } from '../execution/standby.js';
import type { Campaign } from '../record/schema.js';
import { coresHere } from './here.js';
import { say } from './say.js';
import { stopOnSignals } from './signals.js';

/** @throws UserError for ranks that do not find each other, and where a signal came */
export async function openEngineHere(
  campaign: Pick<Campaign, 'batches'>,
  standby?: Standby,
): Promise<OpenEngine> {
  const stopper = stopOnSignals(
    (name) => say(`${name}: ending the ranks that are tried`),
    (name) => say(`${name} once more: ended at once`),
  );
  const ended = (): UserError | null => {
    const name = stopper.came();
    return name === null
      ? null
      : new UserError(
          'stopped while its ranks were tried: nothing was launched',
          EXIT.signal(constants.signals[name]),
        );
  };
  try {
    const engine = await openEngine(campaign, coresHere(), stopper.signal, standby);
    const why = ended();
    if (why === null) return engine;
    await engine.close();
    throw why;
  } catch (error) {
    throw ended() ?? error;
  } finally {
    stopper.release();
  }
}

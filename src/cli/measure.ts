/** What every command that measures does with its campaign: begin it, run it, show how it ended. */
import type { Standby } from '../execution/standby.js';
import type { Flags } from '../indicators/indicator.js';
import type { MachineDescription } from '../machine/types.js';
import type { Campaign } from '../record/schema.js';
import type { StackLocks } from '../stacks/own/lock.js';
import { beginCampaign } from './begin-campaign.js';
import { lockCampaign } from './campaign-lock.js';
import { campaignOfEachText } from './campaign-of-each.js';
import { followedLibrary, followLibrary } from './follow-rank.js';
import { openEngineHere } from './open-engine.js';
import { runCampaign } from './run-campaign.js';
import { say } from './say.js';
import { showEnd } from './show-end.js';

/**
 * @param flags of which `out`, `quiet`, `wait`, `strict` and `json` count
 * @param standby with a worker for the first launch
 */
export async function measure(
  campaign: Campaign,
  machine: MachineDescription,
  flags: Flags,
  locks: StackLocks = {},
  standby?: Standby,
): Promise<void> {
  const followed = followedLibrary(campaign);
  if (followed !== null) return followLibrary(followed);
  const ofEach = campaignOfEachText(campaign);
  if (ofEach !== null) say(ofEach);
  const engine = await openEngineHere(campaign, standby);
  try {
    const start = beginCampaign(campaign, String(flags.out), machine, locks);
    const lock = await lockCampaign(campaign.id, start.store.folder());
    try {
      const end = await runCampaign(start, {
        quiet: flags.quiet === true,
        wait: flags.wait !== false,
        strict: flags.strict === true,
        engine,
      });
      await showEnd(end, flags.json === true);
    } finally {
      lock.release();
    }
  } finally {
    await engine.close();
  }
}

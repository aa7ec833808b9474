/** Ranks that find each other at a place, without MPI: each is told where, and which it is. Pure. */
import { UserError } from '../errors.js';
import { parseCount } from '../quantities/parse.js';
import type { Seconds } from '../units.js';
import { RANK, RANKS } from './place.js';

/** In the place of an MPI library in what is asked of ranks (native/collective/rendezvous/meeting.h). */
export const isMeetingPlace = (text: string): boolean => /^(?:tcp|file):/.test(text);

/** How long ranks wait for each other there, unless the environment says otherwise. */
const MEETING_SECONDS: Seconds = 20;
const MEETING_VARIABLE = 'PIBENCH_RENDEZVOUS_SECONDS';

/** @param usual where the environment says nothing */
export function meetingSeconds(environment: NodeJS.ProcessEnv, usual: Seconds = MEETING_SECONDS): Seconds {
  const asked = Number(environment[MEETING_VARIABLE]);
  return asked > 0 ? asked : usual;
}

const MOST = 256;

/** `--name value` or `--name=value`, before anything else is known of the arguments. */
export function argumentOf(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  const found = args[at];
  return found === undefined || found !== name ? found?.slice(name.length + 1) : args[at + 1];
}

/** @throws UserError for what is no place */
export function checkMeetingPlace(text: string): string {
  if (/^tcp:.+:\d+$/.test(text) || /^file:.+$/.test(text)) return text;
  throw new UserError(`--rendezvous takes tcp:HOST:PORT or file:PATH; got "${text}"`);
}

/**
 * What the environment of this process, and of those below it, gets of --rank and --ranks: a launcher's own variables say the same.
 * @throws UserError
 */
export function rankVariables(args: readonly string[]): Readonly<Record<string, string>> {
  const [rank, ranks] = [argumentOf(args, '--rank'), argumentOf(args, '--ranks')];
  if (rank === undefined) return {};
  if (ranks === undefined) throw new UserError('--rank says which of how many: add --ranks');
  const size = parseCount(ranks, '--ranks', MOST);
  if (!/^\d+$/.test(rank) || Number(rank) >= size)
    throw new UserError(`--rank takes 0 to ${size - 1}, with --ranks ${size}; got "${rank}"`);
  return { [RANK]: rank, [RANKS]: String(size) };
}

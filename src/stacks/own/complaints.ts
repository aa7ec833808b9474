/** What package managers say when they fail, in one line that a person can act on. Pure. */

/** apt's first error, with what to do where its lists are missing or old. */
export function aptComplaint(stderr: string): string | null {
  const error = /^E: (.*)$/m.exec(stderr)?.[1];
  if (error === undefined) return null;
  const old = /Unable to locate|was not found|no installation candidate|404/.test(error);
  return old ? `${error} (are apt’s lists there, and new? apt-get update)` : error;
}

/** Of what npm says, what went wrong: not its code, its advice or where its log lies. */
export function npmComplaint(stderr: string): string | null {
  const lines = [...stderr.matchAll(/^npm (?:error|ERR!) (.*)$/gm)].map(([, text = '']) => text.trim());
  const code = lines.find((line) => line.startsWith('code '))?.slice('code '.length);
  const said = lines
    .map((line) => (code !== undefined && line.startsWith(code) ? line.slice(code.length).trim() : line))
    .map((line) => line.replace(/^404 /, ''))
    .filter(
      (line) => line !== '' && line !== '404' && !/^(code|syscall|errno|path|A complete log)\b/.test(line),
    );
  const [first] = said;
  if (first === undefined) return code ?? null;
  // Its words for these two are long and say less.
  if (code === 'ERESOLVE') return `the packages do not fit together: ${conflictIn(said)}`;
  if (code === 'EUSAGE')
    return `the lockfile does not fit the packages: ${said.find((line) => /^(Missing|Invalid)/.test(line)) ?? first}`;
  return code === undefined ? first : `${first} (${code})`;
}

const conflictIn = (said: readonly string[]): string =>
  said.find((line) => /^(peer|peerOptional) /.test(line)) ??
  said.find((line) => line.startsWith('Found')) ??
  said[0] ??
  'npm does not say why';

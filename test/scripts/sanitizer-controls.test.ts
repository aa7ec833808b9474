/** A check under a sanitizer must not pass where nothing would be reported. */
import { expect, it } from 'vitest';
import { SANITIZED } from '../../scripts/lib/sanitized-builds.mjs';
import { requireSanitizer, sanitizers } from '../../scripts/native-checks.mjs';

// Against what hangs only.
const COMPILE_TIMEOUT_MS = 600_000;

it.each(sanitizers)(
  'a build for %s that is without it is refused',
  async (sanitize) => {
    const build = SANITIZED[sanitize];
    if (build === undefined) throw new Error(`no build for ${sanitize}`);
    const flags = build.flags.filter((flag) => !/^-f(no-)?sanitize|^--param=asan/.test(flag));
    const plain = { ...build, flags, folder: 'without-sanitizer' };
    await expect(requireSanitizer(sanitize, plain)).rejects.toThrow(/does not report a .* on purpose/);
  },
  COMPILE_TIMEOUT_MS,
);

// Where pi-bench runs at all. Read by a Node of any age, so written in words that all of them know: no `?.`, no `??`.

function nodeIsSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
}

/**
 * Why it does not run here; null: it does.
 * @param {string} version of Node
 * @param {string} platform as Node names it
 * @returns {string | null}
 */
export function unsupported(version, platform) {
  if (!nodeIsSupported(version))
    return `Node ${version} is too old or unsupported: use 20.19+, 22.12+ or 24+`;
  if (platform !== 'linux') return `it measures on Linux only, and this is ${platform}`;
  return null;
}

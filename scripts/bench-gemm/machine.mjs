// What was measured with what: the machine, the libraries, the commit.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { basename } from 'node:path';
import { packageRoot } from '../lib/tree.mjs';

const read = (path) => readFileSync(path, 'utf8').trim();

function caches() {
  const folder = '/sys/devices/system/cpu/cpu0/cache';
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith('index'))
      .map((name) => {
        const field = (key) => read(`${folder}/${name}/${key}`);
        const kind = { Data: 'd', Instruction: 'i', Unified: '' }[field('type')];
        return `L${field('level')}${kind} ${field('size')}`;
      })
      .join(', ');
  } catch {
    return 'not told';
  }
}

function commit() {
  const git = (...args) =>
    spawnSync('git', args, { cwd: packageRoot, encoding: 'utf8' }).stdout?.trim() ?? '';
  const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
  return `${git('rev-parse', '--short', 'HEAD') || 'not known'}${changed ? ' with changes' : ''}`;
}

/** Lines for people, which are markdown too. */
export function describe(candidates, { rounds, launches, seconds, seed }) {
  const info = read('/proc/cpuinfo');
  const field = (name) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(info)?.[1] ?? '?';
  const files = [...new Set(candidates.flatMap(({ path }) => (path === null ? [] : [basename(path)])))];
  return [
    `- CPU: ${field('model name')}, family ${field('cpu family')}, model ${field('model')}; ${caches()}`,
    `- Linux ${release()}, Node ${process.versions.node}`,
    `- Libraries: ${files.length === 0 ? 'none found' : files.join(', ')}`,
    `- pi-bench at commit ${commit()}, ${new Date().toISOString().slice(0, 10)}`,
    `- Each cell: median of ${rounds} turns of ${seconds} s in ${launches} launches, in an order drawn with seed ${seed}, and up to four times as many where those do not decide. Ratio: median over the rounds, of turns side by side, with its interval of 95 % over all looks (from 8 rounds on; with fewer the ratio alone decides); at best: of the fastest samples. One thread: CPU time, else the time on the wall. ~: disturbed in most turns, so no verdict; tie: the target lies inside the interval`,
  ].join('\n');
}

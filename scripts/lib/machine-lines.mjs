// What a table was measured on: lines for people, which are markdown too.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { packageRoot } from './tree.mjs';

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
    return 'caches not told';
  }
}

function commit() {
  const git = (...args) =>
    spawnSync('git', args, { cwd: packageRoot, encoding: 'utf8' }).stdout?.trim() ?? '';
  const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
  return `${git('rev-parse', '--short', 'HEAD') || 'not known'}${changed ? ' with changes' : ''}`;
}

export function machineLine() {
  const info = read('/proc/cpuinfo');
  const field = (name) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(info)?.[1] ?? '?';
  return `- CPU: ${field('model name')}, family ${field('cpu family')}, model ${field('model')}; ${caches()}`;
}

export const systemLine = () => `- Linux ${release()}, Node ${process.versions.node}`;

export const commitLine = () => `- pi-bench at commit ${commit()}, ${new Date().toISOString().slice(0, 10)}`;

/**
 * The command that was given, so that a reader can do it again; words stand for paths, which are of this machine.
 * @param {string} command
 * @param {Readonly<Record<string, string>>} words by path
 * @param {readonly string[]} [args]
 */
export function commandGiven(command, words, args = process.argv.slice(2)) {
  const flags = args
    .map((arg) => {
      const path = Object.keys(words).find((one) => arg === one || arg.endsWith(`=${one}`));
      return path === undefined ? arg : `${arg.slice(0, arg.length - path.length)}${words[path]}`;
    })
    .map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg));
  return [`npm run ${command}`, ...(flags.length === 0 ? [] : ['--', ...flags])].join(' ');
}

/** A heading, and the command that wrote what is below it. */
export const titleLines = (title, command, file) =>
  `# ${title}\n\nWritten by \`${commandGiven(command, { [file]: 'FILE' })}\`.`;

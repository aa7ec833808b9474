/** The standard library's headers are read once for all of the addon, which nobody would miss but by waiting longer. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/pi-bench.js';

/** One of each target that is compiled so. */
const OBJECTS = [
  'Release/obj.target/pibench_core/native/inspection.o',
  'Release/obj.target/pibench_more/native/stacks/together.o',
];

/** How make compiled the object, as node-gyp has it written down. */
function commandOf(object: string): string {
  const [first = ''] = readFileSync(join(root, 'build', 'Release', '.deps', `${object}.d`), 'utf8').split(
    '\n',
  );
  return first.slice(first.indexOf(':=') + 2).trim();
}

it.for(OBJECTS)('the precompiled header fits how the addon is compiled: %s', (object, { skip }) => {
  const [compiler = ''] = commandOf(object).split(' ');
  const { stdout } = spawnSync(compiler, ['--version'], { encoding: 'utf8' });
  if (!stdout.includes('Free Software Foundation')) skip(`${compiler} is not GCC`);
  // -H marks a precompiled header that is used with "!", one that does not fit with "x"; that much is known before any code is made.
  const command = commandOf(object)
    .replace(` -o ${object} `, ' -o /dev/null -H -fsyntax-only ')
    .replace(/ -MMD -MF \S+/, '');
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    cwd: join(root, 'build'),
    encoding: 'utf8',
    env: { ...process.env, CCACHE_DISABLE: '1' },
  });
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/^! .*standard\.h\.gch$/m);
});

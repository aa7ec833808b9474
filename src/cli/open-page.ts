/** Opens a file in the browser of whoever sits there, if anybody does. */
import { spawn } from 'node:child_process';

const OPENER = 'xdg-open';

/** @returns whether there is a program that opens files; it goes on by itself */
export function openPage(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(OPENER, [path], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

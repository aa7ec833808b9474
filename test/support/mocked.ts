/** Modules with another one in the place of one that they import. Test files share their process: each leaves it as it was. */
import { vi } from 'vitest';

/**
 * @param path of the module that is replaced, from the root of the project, or Node's name of it (`node:fs`)
 * @param replaced what it has instead, over what it has
 * @param load imports those that are to have it so
 */
export async function withModule<T>(path: string, replaced: object, load: () => Promise<T>): Promise<T> {
  const id = path.startsWith('node:') ? path : new URL(`../../${path}`, import.meta.url).pathname;
  vi.resetModules();
  vi.doMock(id, async (original) => ({ ...(await original<object>()), ...replaced }));
  try {
    return await load();
  } finally {
    vi.doUnmock(id);
    vi.resetModules();
  }
}

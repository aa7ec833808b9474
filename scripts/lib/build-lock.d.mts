/** The types of build-lock.mjs, for the tests. */
export declare function tryLock(lock: string, folder: string): boolean;
export declare function unlock(lock: string): void;
export declare function withLock<T>(
  lock: string,
  folder: string,
  work: () => T,
  onWait?: (whom: string) => void,
): T;
export declare function withLockAsync<T>(
  lock: string,
  folder: string,
  work: () => Promise<T>,
  onWait?: (whom: string) => void,
): Promise<T>;

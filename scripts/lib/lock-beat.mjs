// The thread of build-lock.mjs that says that a lock is held, as long as it is ours.
import { readFileSync, utimesSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const { lock, owner, said, every } = workerData;

const timer = setInterval(() => {
  try {
    if (readFileSync(owner, 'utf8') !== said) clearInterval(timer);
    else utimesSync(lock, new Date(), new Date());
  } catch {
    // It is gone, or being taken away.
    clearInterval(timer);
  }
}, every);

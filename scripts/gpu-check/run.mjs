// pi-bench without its launcher, which would look for npm.
import { bundled } from '../lib/tree.mjs';

const { main } = await import(bundled('cli/main').href);
await main(process.argv.slice(2));

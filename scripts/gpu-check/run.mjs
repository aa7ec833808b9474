// pi-bench without its launcher, which would look for npm.
import { main } from '../../dist/cli/main.js';

await main(process.argv.slice(2));

/** `pi-bench verdict`: the cached answer of the last qualification, in one line. The launcher has a shorter way to the same. */
import type { CommandModule } from 'yargs';
import { UserError } from '../../errors.js';
import { readAnswer, TIERS, verdictFile } from '../../qualify/answer.js';
import { parseAge } from '../verdict.js';

export const verdictCommand: CommandModule = {
  command: 'verdict',
  describe: 'What the last qualification of this node came to: one line, exit code 0, 1 or 2',
  builder: (yargs) =>
    yargs
      .option('max-age', {
        type: 'string',
        default: '24h',
        describe: 'An older verdict is none: 30min, 24h, 7d',
      })
      .option('tier', {
        type: 'string',
        choices: TIERS,
        describe: 'A yes has to be of this tier or a higher one; lower ones count only against it',
        defaultDescription: 'any, and suites of your own',
      })
      .option('file', {
        type: 'string',
        describe: 'Where qualify left it',
        defaultDescription: verdictFile(),
      })
      .example([
        ['$0 verdict --max-age 24h', 'for node-problem-detector, HealthCheckProgram, cron'],
        [
          '$0 verdict --max-age 24h --tier t1',
          'where a quick look (t0) after each job must not count as a yes',
        ],
      ])
      .epilogue('Exit codes: 0 qualified, 1 not qualified, 2 nobody knows'),
  handler: ({ maxAge, tier, file }) => {
    const age = parseAge(String(maxAge));
    if (age === null) throw new UserError(`--max-age takes an age such as 30min, 24h or 7d; got "${maxAge}"`);
    const { line, code } = readAnswer(
      file === undefined ? null : String(file),
      age,
      tier === undefined ? null : String(tier),
    );
    process.stdout.write(`${line}\n`);
    process.exitCode = code;
  },
};

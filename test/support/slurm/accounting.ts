/** Slurm's accounting for as long as a test needs it: slurmdbd, and a MariaDB on a socket of the loopback only. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, must, startDaemon } from './daemon.js';

export const ACCOUNTING_PROGRAMS = ['mariadbd', 'mariadb-install-db', 'slurmdbd', 'sacctmgr', 'sacct'];

export interface AccountingPorts {
  readonly database: number;
  readonly accounting: number;
}

/** Lines of slurm.conf by which jobs need an account that knows their user, and keep to its limits. */
export const accountingConf = (folder: string, { accounting }: AccountingPorts): readonly string[] => [
  'AccountingStorageType=accounting_storage/slurmdbd',
  'AccountingStorageHost=localhost',
  `AccountingStoragePort=${accounting}`,
  `AccountingStoragePass=${folder}/munge.sock`,
  'AccountingStorageEnforce=associations,limits,qos',
];

const logOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8').slice(-2000) : '');

/** @param poll asks until it is so @returns both daemons, the first to end first */
export async function startAccounting(
  folder: string,
  user: string,
  ports: AccountingPorts,
  env: NodeJS.ProcessEnv,
  poll: (ready: () => boolean, what: () => string) => Promise<void>,
): Promise<readonly Daemon[]> {
  const of = (name: string): string => join(folder, name);
  const password = randomBytes(12).toString('hex');
  mkdirSync(of('database'));
  must(
    [
      'mariadb-install-db',
      '--no-defaults',
      `--datadir=${of('database')}`,
      `--user=${user}`,
      '--skip-test-db',
    ],
    env,
  );
  const statements = [
    'CREATE DATABASE slurm;',
    `CREATE USER slurm@localhost IDENTIFIED BY '${password}';`,
    'GRANT ALL ON slurm.* TO slurm@localhost;',
  ];
  writeFileSync(of('database.sql'), `${statements.join('\n')}\n`, { mode: 0o600 });
  const database = startDaemon(
    [
      'mariadbd',
      '--no-defaults',
      `--user=${user}`,
      `--datadir=${of('database')}`,
      `--socket=${of('database.sock')}`,
      `--pid-file=${of('database.pid')}`,
      `--port=${ports.database}`,
      '--bind-address=127.0.0.1',
      `--init-file=${of('database.sql')}`,
      // What is lost with the machine is of no use to anybody.
      '--innodb-flush-log-at-trx-commit=0',
    ],
    of('log/mariadbd.log'),
    env,
  );
  try {
    await poll(
      () => existsSync(of('database.sock')),
      () => `mariadbd does not start: ${logOf(of('log/mariadbd.log'))}`,
    );
    writeFileSync(
      of('slurmdbd.conf'),
      [
        'AuthType=auth/munge',
        `AuthInfo=socket=${folder}/munge.sock`,
        'DbdHost=localhost',
        `DbdPort=${ports.accounting}`,
        `SlurmUser=${user}`,
        `PidFile=${of('slurmdbd.pid')}`,
        'StorageType=accounting_storage/mysql',
        'StorageHost=127.0.0.1',
        `StoragePort=${ports.database}`,
        'StorageUser=slurm',
        `StoragePass=${password}`,
        'StorageLoc=slurm',
        '',
      ].join('\n'),
      { mode: 0o600 },
    );
    const accounting = startDaemon(['slurmdbd', '-D'], of('log/slurmdbd.log'), env);
    const answers = (): boolean => {
      try {
        must(['sacctmgr', '--noheader', '--parsable2', 'show', 'cluster'], env);
        return true;
      } catch {
        return false;
      }
    };
    await poll(answers, () => `slurmdbd does not start: ${logOf(of('log/slurmdbd.log'))}`);
    must(['sacctmgr', '--immediate', 'add', 'cluster', 'pibench'], env);
    return [accounting, database];
  } catch (error) {
    await database.kill();
    throw error;
  }
}

/** A PostgreSQL server in a temporary folder, as an unprivileged user, that listens on nothing but a socket there. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const ROLE = 'thoth';
/** Where Debian has the programs of a server, one folder for each version. */
const DEBIAN = '/usr/lib/postgresql';

export interface Postgres {
  /** Rows of the last statement, a text for each column; null is null. @throws Error with what the server says */
  query(sql: string): readonly (readonly (string | null)[])[];
  stop(): void;
}

/** The folder of initdb and pg_ctl; null: PostgreSQL is not installed. */
function serverPrograms(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((name) => join(DEBIAN, name, 'bin')) : [];
  const folders = [...versions.toReversed(), ...(process.env.PATH ?? '').split(delimiter)];
  return (
    folders.find((folder) => ['initdb', 'pg_ctl', 'psql'].every((name) => existsSync(join(folder, name)))) ??
    null
  );
}

/** initdb and the server refuse root. */
const asNobody: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];

function must(command: readonly string[], input?: string): string {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, encoding: 'utf8', cwd: '/' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

const NULL = '\u0001';
const BETWEEN_FIELDS = '\u001f';
const BETWEEN_ROWS = '\u001e';

/** @returns a sentence where there is no server to start */
export function startPostgres(): Postgres | string {
  const programs = serverPrograms();
  if (programs === null) return 'PostgreSQL is not installed';
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-pg-'));
  const [data, log] = [join(folder, 'data'), join(folder, 'log')];
  // A folder of root's would be closed to the one who runs the server.
  if (asNobody.length > 0) must(['chown', 'nobody:nogroup', folder]);
  chmodSync(folder, 0o700);
  const control = (...args: readonly string[]): string =>
    must([...asNobody, join(programs, 'pg_ctl'), '-D', data, '-w', '-s', ...args]);
  const stop = (): void => {
    try {
      control('-m', 'immediate', 'stop');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    must([
      ...asNobody,
      join(programs, 'initdb'),
      '-D',
      data,
      '-U',
      ROLE,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-sync',
    ]);
    // Its output goes to the log: a server that held our pipe would never let us read it to its end.
    control('-l', log, '-o', `-c listen_addresses='' -c fsync=off -k ${folder}`, 'start');
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const psql = [join(programs, 'psql'), '-X', '-q', '-A', '-t', '-h', folder, '-U', ROLE, '-d', 'postgres'];
  const format = ['-v', 'ON_ERROR_STOP=1', '-P', `null=${NULL}`, '-F', BETWEEN_FIELDS, '-R', BETWEEN_ROWS];
  return {
    query(sql) {
      const text = must([...psql, ...format, '-f', '-'], sql).replace(/\n$/, '');
      if (text === '') return [];
      return text
        .split(BETWEEN_ROWS)
        .map((row) => row.split(BETWEEN_FIELDS).map((value) => (value === NULL ? null : value)));
    },
    stop,
  };
}

/**
 * Thoth's tables for results of inspections, as far as these fill them, and its synchronisation: which keys of a document it
 * reads, and where to. Only enough of it to see that a database with its schema takes what we write.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RESOURCES = [
  'ru_maxrss',
  'ru_ixrss',
  'ru_idrss',
  'ru_isrss',
  'ru_minflt',
  'ru_majflt',
  'ru_nswap',
  'ru_inblock',
  'ru_oublock',
  'ru_msgsnd',
  'ru_msgrcv',
  'ru_nsignals',
  'ru_nvcsw',
  'ru_nivcsw',
] as const;

export const TABLES = `
create type inspection_sync_state as enum ('PENDING', 'SYNCED');
create table hardware_information (
  id serial primary key,
  cpu_vendor integer, cpu_model integer, cpu_cores integer, cpu_model_name varchar(256), cpu_family integer,
  cpu_physical_cpus integer, gpu_model_name varchar(256), gpu_vendor varchar(256), gpu_cores integer,
  gpu_memory_size integer, ram_size integer
);
create table software_environment (
  id serial primary key,
  environment_name varchar(256), python_version varchar(256), os_name varchar(256), os_version varchar(256),
  cuda_version varchar(256)
);
create table inspection_run (
  id serial primary key,
  inspection_document_id text not null, inspection_result_number integer not null,
  datetime timestamp, amun_version text,
  build_requests_cpu double precision, build_requests_memory double precision,
  run_requests_cpu double precision, run_requests_memory double precision,
  inspection_sync_state inspection_sync_state not null,
  build_hardware_information_id integer references hardware_information (id),
  run_hardware_information_id integer references hardware_information (id),
  run_software_environment_id integer references software_environment (id)
);
create table pi_matmul (
  id serial primary key,
  inspection_run_id integer not null references inspection_run (id),
  component varchar(256) not null, origin varchar(256) not null, version varchar(256) not null,
  overall_score double precision, exit_code integer not null,
  ru_utime double precision not null, ru_stime double precision not null,
  ${RESOURCES.map((name) => `${name} integer not null`).join(', ')},
  device varchar(256) not null, matrix_size integer not null, dtype varchar(256) not null, reps integer not null,
  elapsed double precision not null, rate double precision not null
);`;

/** Indicators that have a table. */
const TABLE_OF: Readonly<Record<string, string>> = { PiMatmul: 'pi_matmul' };

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

export interface SyncedDocument {
  readonly document_id: string;
  readonly result_number: number;
  readonly specification: JsonObject;
  readonly result: JsonObject;
}

const parsed = (path: string): JsonObject => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;

/** A document for each result below the folder, as it finds them on its storage. */
export function documentsIn(folder: string): readonly SyncedDocument[] {
  return readdirSync(folder).flatMap((id) => {
    const specification = parsed(join(folder, id, 'build', 'specification'));
    return readdirSync(join(folder, id, 'results')).map((n) => ({
      document_id: id,
      result_number: Number(n),
      specification,
      result: parsed(join(folder, id, 'results', n, 'result')),
    }));
  });
}

/** What it indexes must be there: without, its synchronisation ends with a KeyError. */
function required(of: Json | undefined, ...keys: readonly string[]): Json {
  let value: Json | undefined = of;
  for (const key of keys) {
    value = (value as JsonObject | null | undefined)?.[key];
    if (value === undefined) throw new Error(`KeyError: ${keys.join('.')}`);
  }
  return value as Json;
}

const optional = (of: Json | undefined, key: string): Json => (of as JsonObject | undefined)?.[key] ?? null;

const literal = (value: Json): string => {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return `'${String(value).replaceAll("'", "''")}'`;
};

function insert(table: string, values: Readonly<Record<string, Json | { readonly sql: string }>>): string {
  const columns = Object.keys(values).map((name) => `"${name}"`);
  const row = Object.values(values).map((value) =>
    value !== null && typeof value === 'object' && 'sql' in value
      ? String(value.sql)
      : literal(value as Json),
  );
  return columns.length === 0
    ? `insert into ${table} default values`
    : `insert into ${table} (${columns.join(', ')}) values (${row.join(', ')})`;
}

/** In CPUs: `2`, `500m`. */
const cpus = (text: Json): number | null =>
  typeof text === 'string' ? (text.endsWith('m') ? Number.parseInt(text, 10) / 1000 : Number(text)) : null;

const UNITS: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** In GiB, of the form that Kubernetes has. */
function gibibytes(text: Json): number | null {
  const match = /^(\d+(?:\.\d+)?)([KMGT]i)?$/.exec(String(text));
  return match === null ? null : (Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1)) / 2 ** 30;
}

/** The statements that store a document. @throws Error where its synchronisation would */
export function syncSql({ document_id, result_number, specification, result }: SyncedDocument): string {
  const [build, run] = [
    required(specification, 'build', 'requests'),
    required(specification, 'run', 'requests'),
  ];
  const environment = required(result, 'runtime_environment');
  if (!result.stdout) throw new Error('nothing was printed: no performance indicator');
  const table = TABLE_OF[String(optional(result, 'name'))];
  if (table === undefined) throw new Error(`PerformanceIndicatorNotRegisteredError: ${result.name}`);
  const usage = required(result, 'usage') as JsonObject;
  const system = required(environment, 'operating_system');
  const id = (of: string) => ({ sql: `currval('${of}_id_seq')` });
  return `begin;
${insert('hardware_information', required(build, 'hardware') as JsonObject)};
create temporary table building on commit drop as select currval('hardware_information_id_seq') as id;
${insert('hardware_information', required(environment, 'hardware') as JsonObject)};
${insert('software_environment', {
  environment_name: optional(environment, 'name'),
  python_version: optional(environment, 'python_version'),
  os_name: optional(system, 'name'),
  os_version: optional(system, 'version'),
  cuda_version: optional(environment, 'cuda_version'),
})};
${insert('inspection_run', {
  inspection_document_id: document_id,
  inspection_result_number: result_number,
  datetime: optional(specification, '@created'),
  amun_version: null,
  build_requests_cpu: cpus(optional(build, 'cpu')),
  build_requests_memory: gibibytes(optional(build, 'memory')),
  run_requests_cpu: cpus(optional(run, 'cpu')),
  run_requests_memory: gibibytes(optional(run, 'memory')),
  inspection_sync_state: 'SYNCED',
  build_hardware_information_id: { sql: '(select id from building)' },
  run_hardware_information_id: id('hardware_information'),
  run_software_environment_id: id('software_environment'),
})};
${insert(table, {
  inspection_run_id: id('inspection_run'),
  component: optional(result, 'component'),
  origin: optional(specification, 'script'),
  version: optional(result, 'version') ?? required(result, 'script_sha256'),
  overall_score: optional(result, 'overall_score'),
  exit_code: optional(result, 'exit_code'),
  ...Object.fromEntries(['ru_utime', 'ru_stime', ...RESOURCES].map((name) => [name, optional(usage, name)])),
  ...(required(result, '@parameters') as JsonObject),
  ...(required(result, '@result') as JsonObject),
})};
commit;`;
}

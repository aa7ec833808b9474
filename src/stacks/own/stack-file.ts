/**
 * A stack file: stacks of one's own, in YAML or JSON. Each says what executes it and in what it runs: packages, folders of
 * libraries, variables. Several possibilities for one thing make several candidates, which `pi-bench explore` measures. Pure.
 */
import semver from 'semver';
import { z } from 'zod';
import { checkYaml } from '../../checked-yaml.js';
import { UserError } from '../../errors.js';
import { gpuEnvironment } from '../../frameworks/gpu-environment.js';
import { expandValues } from '../../quantities/expand.js';
import { findStack, stacks as knownStacks } from '../index.js';
import type { Environment } from '../stack.js';

export const STACK_FILE_SCHEMA = 'urn:pi-bench:schema:stack-file:1';

const oneOrMore = <T extends z.ZodType>(of: T) => z.union([of, z.array(of).min(1)]);
const debianPackage = z
  .string()
  .regex(/^[a-z0-9][a-z0-9+.-]*(=[A-Za-z0-9.+:~-]+)?$/, 'a Debian package is a name, or name=version');
const variable = z.union([z.string(), z.number()]).nullable();

const npmPackages = z.strictObject({
  packages: z
    .record(z.string().regex(/^(@[\w.~-]+\/)?[\w.~-]+$/), z.string())
    .optional()
    .describe('npm packages and the range of their versions'),
  lockfile: z
    .string()
    .optional()
    .describe('a package-lock.json, relative to this file: exactly what it says is installed'),
  installScripts: z
    .record(z.string(), z.enum(['run', 'skip']))
    .optional()
    .describe(
      'of packages that want to run a script when they are installed: whether they may, or do without',
    ),
});

const entry = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9._-]*$/,
      'a name begins with a letter; then letters, digits, dots, hyphens, underscores',
    )
    .describe('as it is called after --stack, and in records'),
  stack: oneOrMore(z.string().min(1)).describe(
    'what executes it, as after --stack: openblas, blis, cblas, embedded:avx2 ...; a library is looked for in this stack’s packages and folders only, and where it has none it is this system’s',
  ),
  library: oneOrMore(z.string().min(1))
    .optional()
    .describe('the library’s file: a path inside the packages, beside this file, or of this system'),
  folders: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('of libraries, where the loader looks first; relative to this file'),
  debian: z
    .array(z.union([debianPackage, z.strictObject({ any: z.array(debianPackage).min(1) })]))
    .min(1)
    .optional()
    .describe('Debian packages, all of them with what they depend on; {any: [a, b]} is one of several'),
  npm: npmPackages.optional(),
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), oneOrMore(variable))
    .optional()
    .describe('variables of the launch; null leaves one out'),
  threads: oneOrMore(z.union([z.int().min(1), z.string()]))
    .optional()
    .describe('for explore: counts and ranges such as 1..8*2; left out: as the command says'),
});

export const stackFile = z.strictObject({
  $schema: z.string().optional(),
  stacks: z.array(entry).min(1),
});

/** One entry, with all its possibilities; what has one possibility has one value. */
export interface AskedStack {
  readonly name: string;
  /** From 1, for messages. */
  readonly line: number;
  /** As after --stack: at least one. */
  readonly stacks: readonly string[];
  /** null: it is looked for. */
  readonly libraries: readonly (string | null)[];
  readonly folders: readonly string[];
  /** For each package that there has to be, the possibilities. */
  readonly debian: readonly (readonly string[])[];
  readonly npm: {
    readonly packages: Readonly<Record<string, string>>;
    readonly lockfile: string | null;
    readonly installScripts: Readonly<Record<string, 'run' | 'skip'>>;
  } | null;
  readonly environment: Readonly<Record<string, readonly (string | null)[]>>;
  /** Empty: as the command says. */
  readonly threads: readonly string[];
}

const list = <T>(given: T | readonly T[] | undefined): readonly T[] =>
  given === undefined ? [] : Array.isArray(given) ? (given as readonly T[]) : [given as T];
const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

function asked(given: z.infer<typeof entry>, line: number): AskedStack {
  const { npm, environment = {}, debian = [] } = given;
  const libraries = distinct(list(given.library));
  return {
    name: given.name,
    line,
    stacks: distinct(list(given.stack)),
    libraries: libraries.length === 0 ? [null] : libraries,
    folders: distinct(given.folders ?? []),
    debian: debian.map((one) => (typeof one === 'string' ? [one] : distinct(one.any))),
    npm:
      npm === undefined
        ? null
        : {
            packages: npm.packages ?? {},
            lockfile: npm.lockfile ?? null,
            installScripts: npm.installScripts ?? {},
          },
    environment: Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value === null ? [null] : distinct(list(value).map((one) => (one === null ? null : String(one)))),
      ]),
    ),
    threads: distinct(list(given.threads).flatMap((one) => expandValues(String(one), 'threads'))),
  };
}

/** Variables that pi-bench sets itself. */
const RESERVED = /^(LD_LIBRARY_PATH|PI_BENCH_.*)$/;
/** With these a device would be another GPU than the record says, or a launch would wait for its kernel behind the gate. */
const RESERVED_OF_GPU = /^CUDA_(VISIBLE_DEVICES|DEVICE_ORDER|LAUNCH_BLOCKING)$/;

const providerOf = (text: string): string => text.split(':')[0] ?? '';

/** What is wrong with an entry although each of its fields may be so; null: nothing. */
function problemOf(one: AskedStack): string | null {
  if (knownStacks.some(({ provider }) => provider === one.name))
    return `${one.name} is the name of a stack that pi-bench has already: choose another`;
  for (const text of one.stacks) {
    const { library } = findStack(providerOf(text));
    if (library !== null && text.includes(':'))
      return `stack is ${providerOf(text)}, and its file goes into library: ${text.slice(text.indexOf(':') + 1)}`;
    if (library !== null && library.sonames.length === 0 && one.libraries[0] === null)
      return `stack ${text} needs a library: the path of its file`;
    if (library === null && one.libraries[0] !== null)
      return `stack ${text} takes no library: it is none of those that are opened by their file`;
  }
  const set: Environment = Object.assign(
    {},
    ...one.stacks.map((text) => {
      const { environment, framework } = findStack(providerOf(text));
      return { ...environment(1), ...(framework === null ? {} : gpuEnvironment(0, undefined)) };
    }),
  );
  for (const name of Object.keys(one.environment)) {
    if (RESERVED.test(name)) return `${name} is set by pi-bench; for libraries there is folders`;
    if (RESERVED_OF_GPU.test(name))
      return `${name} is set by pi-bench, from the device: leave it out; --device chooses a GPU`;
    if (name in set) return `${name} is set by pi-bench, from the case: leave it out`;
  }
  if (one.npm === null) return null;
  const { packages, lockfile } = one.npm;
  if (Object.keys(packages).length === 0 && lockfile === null)
    return 'npm needs packages, or a lockfile, or both';
  const wrong = Object.entries(packages).find(([, range]) => semver.validRange(range) === null);
  return wrong === undefined
    ? null
    : `npm package ${wrong[0]}: "${wrong[1]}" is no range of versions, such as 1.2.3, ^4.20.0 or >=1.19 <1.22`;
}

/**
 * @param content of the file; JSON is YAML too
 * @param name of the file, for messages
 * @throws UserError that names the line
 */
export function parseStackFile(content: string, name: string): readonly AskedStack[] {
  const { data, lineOf } = checkYaml(content, name, 'a stack file', stackFile);
  const seen = new Set<string>();
  return data.stacks.map((given, i) => {
    const line = lineOf(['stacks', i]);
    const refuse = (why: string): never => {
      throw new UserError(`${name}:${line}: ${given.name}: ${why}`);
    };
    if (seen.has(given.name)) refuse('there is another stack of this name above');
    seen.add(given.name);
    try {
      const one = asked(given, line);
      const problem = problemOf(one);
      if (problem !== null) refuse(problem);
      return one;
    } catch (error) {
      if (error instanceof UserError && error.message.startsWith(`${name}:`)) throw error;
      return refuse(error instanceof Error ? error.message : String(error));
    }
  });
}

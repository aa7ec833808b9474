/** What exactly a stack of one's own consists of: which packages, with their checksums. Written beside the stack file, and obeyed. Pure. */
import { z } from 'zod';
import { UserError } from '../../errors.js';
import { canonicalJson, sha256 } from '../../record/digest.js';

const deb = z.strictObject({
  name: z.string(),
  version: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  asked: z.boolean(),
});

const stackLock = z.strictObject({
  asks: z.string(),
  debian: z
    .strictObject({
      architecture: z.string(),
      packages: z.array(deb).min(1),
      /** Packages of what every process has already, which stay the system's. */
      system: z.array(z.string()),
    })
    .nullable(),
  npm: z
    .strictObject({
      dependencies: z.record(z.string(), z.string()),
      installScripts: z.record(z.string(), z.enum(['run', 'skip'])),
      /** The package-lock.json, whole. */
      lockfile: z.record(z.string(), z.json()),
    })
    .nullable(),
});

export const lockFile = z.strictObject({
  kind: z.literal('pi-bench stack lock'),
  schemaVersion: z.literal(1),
  stacks: z.record(z.string(), stackLock),
});

export type StackLock = z.infer<typeof stackLock>;
export type DebianLock = NonNullable<StackLock['debian']>;
export type NpmLock = NonNullable<StackLock['npm']>;
/** By the stack's name. */
export type StackLocks = Readonly<Record<string, StackLock>>;

export interface LockedPackage {
  readonly manager: 'debian' | 'npm';
  readonly name: string;
  readonly version: string;
  /** SHA-256 of a .deb; npm's integrity. */
  readonly checksum: string;
  /** Named in the stack file; the others are what these depend on. */
  readonly asked: boolean;
}

/** The same for everybody who gets the same packages. */
export const lockDigest = ({ debian, npm }: StackLock): string =>
  sha256(
    canonicalJson([
      debian === null
        ? null
        : [debian.architecture, debian.packages.map((one) => [one.name, one.version, one.sha256])],
      npm,
    ]),
  );

const npmEntry = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
});

export interface NpmPackage {
  /** `node_modules/a/node_modules/b` */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/**
 * The packages of a package-lock.json.
 * @throws UserError for what names no packages, or not exactly which
 */
export function npmPackages(lockfile: NpmLock['lockfile']): readonly NpmPackage[] {
  const packages = z.record(z.string(), npmEntry).safeParse(lockfile.packages);
  if (!packages.success) {
    throw new UserError('npm’s lockfile has no packages: write it anew with npm 7 or newer');
  }
  return Object.entries(packages.data).flatMap(([folder, one]) => {
    // The first is the project itself; what is bundled comes inside another's archive.
    if (folder === '' || one.inBundle === true) return [];
    const name = one.name ?? folder.replace(/^.*node_modules\//, '');
    if (one.link === true || one.version === undefined || one.integrity === undefined)
      throw new UserError(`npm’s lockfile does not say exactly which ${name}: it has no integrity`);
    return [{ folder, name, version: one.version, integrity: one.integrity }];
  });
}

/** Every package of a lock, Debian's first. */
export function lockedPackages({ debian, npm }: StackLock): readonly LockedPackage[] {
  return [
    ...(debian?.packages ?? []).map(
      ({ name, version, sha256: checksum, asked }): LockedPackage => ({
        manager: 'debian',
        name,
        version,
        checksum,
        asked,
      }),
    ),
    ...(npm === null ? [] : npmPackages(npm.lockfile)).map(
      ({ folder, name, version, integrity }): LockedPackage => ({
        manager: 'npm',
        name,
        version,
        checksum: integrity,
        asked: folder === `node_modules/${name}` && name in (npm?.dependencies ?? {}),
      }),
    ),
  ];
}

export const locksText = (stacks: StackLocks): string =>
  `${JSON.stringify({ kind: 'pi-bench stack lock', schemaVersion: 1, stacks }, null, 1)}\n`;

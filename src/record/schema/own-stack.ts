/** Stacks that a stack file describes: as a campaign has them, as a result names them, and what an exploration made of the file. */
import { z } from 'zod';
import type { ObjectOf } from './parts.js';

export function ownStackSchemas(object: ObjectOf) {
  const ownIdentity = object({
    name: z.string(),
    lock: z
      .string()
      .nullable()
      .describe('SHA-256 of what its packages are, with their checksums; null: it has none'),
    packages: z.array(
      object({
        manager: z.enum(['debian', 'npm']),
        name: z.string(),
        version: z.string(),
        checksum: z.string().describe('SHA-256 of a Debian package’s file; npm’s integrity'),
        asked: z.boolean().describe('named in the stack file; the others are what these depend on'),
      }),
    ),
    system: z
      .array(z.string())
      .optional()
      .describe('packages that they depend on and that stay the system’s: what every process has already'),
    systemVersions: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'of those, as installed when the stack was made; absent in records from before it was written',
      ),
    environment: z.record(z.string(), z.string().nullable()).describe('null: left out'),
    loaded: z
      .array(z.string())
      .optional()
      .describe('shared libraries from its own folders that the launch had loaded when it ended'),
  }).describe('a stack that a stack file describes');
  const ownStack = ownIdentity.omit({ loaded: true }).extend({
    provider: z.string(),
    variant: z.string().nullable().describe('the library’s file, or as after --stack'),
    owner: z.string().nullable().describe('its package that the library’s file is of'),
    folders: z.array(z.string()).describe('where the loader looks for libraries first'),
    frameworksFrom: z.string().nullable().describe('folder of its node_modules'),
    problem: z.string().nullable().describe('why it cannot be measured'),
  });
  const explored = object({
    strategy: z.enum(['all', 'random', 'latest']).describe('the order in which candidates were tried'),
    count: z.int().min(1).nullable().describe('how many were wanted; null: all'),
    possible: z.int().describe('candidates that the file describes'),
    candidates: z.array(
      object({
        name: z.string().describe('also the label "candidate" of its batches'),
        stack: z.string(),
        choices: z.record(z.string(), z.string()),
        lock: z.string().nullable(),
      }),
    ),
    skipped: z.array(object({ name: z.string(), why: z.string() })),
  }).describe('what pi-bench explore made of a stack file; the campaign’s seed decided a random order');
  return { ownIdentity, ownStack, explored };
}

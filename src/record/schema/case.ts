/** A case, and the stack that executes it: as it was asked for, and as it was found. */
import { z } from 'zod';
import { ownStackSchemas } from './own-stack.js';
import type { ObjectOf } from './parts.js';

const parameterValue = z.union([z.number(), z.string(), z.boolean()]);

export type CaseSchemas = ReturnType<typeof caseSchemas>;

export function caseSchemas(object: ObjectOf) {
  const caseSchema = object({
    indicator: z.string(),
    parameters: z.record(z.string(), parameterValue),
  });
  const stack = object({
    provider: z.string().describe('who made it, for example "embedded"'),
    variant: z.string().nullable().describe('the chosen instruction set or build; null: its own choice'),
    own: z.string().optional().describe('name of a stack from a stack file, in which it runs'),
  });
  const { ownIdentity, ownStack, explored } = ownStackSchemas(object);
  const stackIdentity = object({
    provider: z.string(),
    variant: z.string().nullable(),
    implementation: z.string().nullable().describe('what the stack chose to execute, as it tells'),
    version: z.string().nullable().describe('null: it does not say'),
    file: z.string().nullable().describe('the library file'),
    sha256: z.string().nullable().describe('of that file'),
    soname: z.string().nullable().optional().describe('the name that the library gives itself'),
    path: z.string().nullable().optional().describe('of the file, with all links followed'),
    package: z
      .string()
      .nullable()
      .optional()
      .describe('of the system, or of the own stack, that owns the file, with its version; null: none does'),
    chose: z
      .string()
      .nullable()
      .optional()
      .describe('core or instruction set that the library chose for this CPU, in its own words'),
    threadBinding: z
      .enum(['each', 'together', 'none'])
      .optional()
      .describe(
        'of the library’s threads: each to a CPU of its own, together to those of the case, or not at all',
      ),
    mpi: object({
      version: z.string().nullable(),
      path: z.string(),
      sha256: z
        .string()
        .nullable()
        .describe('of that file on the host of rank 0; null: it could not be read'),
    })
      .optional()
      .describe(
        'the library that exchanges the data of ranks of MPI; absent: of no such ranks, or in records from before it was written',
      ),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe('variables of the launch that change what is measured'),
    packages: z
      .record(z.string(), z.string())
      .optional()
      .describe('npm packages that a framework consists of, with their versions'),
    timed: z
      .string()
      .optional()
      .describe('of a framework: what a repetition holds beside the product and the wait for it'),
    threads: object({ set: z.int(), found: z.int() })
      .optional()
      .describe('of a framework: what it was told to use; the caller and the threads that it made'),
    own: ownIdentity.optional(),
  });
  return { caseSchema, stack, stackIdentity, ownStack, explored };
}

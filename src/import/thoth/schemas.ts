/** The published documents, as far as they are read; everything else in them is left alone. */
import { z } from 'zod';

const text = z.string().nullish();
const number = z.number().nullish();

export const output = z.looseObject({
  name: text,
  component: text,
  '@parameters': z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
  '@result': z.looseObject({ elapsed: z.number().positive(), rate: z.number().positive().nullish() }),
});
export type Output = z.infer<typeof output>;

const requests = z.looseObject({
  cpu: z.union([z.string(), z.number()]).nullish(),
  memory: z.union([z.string(), z.number()]).nullish(),
  hardware: z
    .looseObject({ cpu_family: number, cpu_model: number, physical_cpus: number, processor: text })
    .nullish(),
});

export const specification = z.looseObject({
  base: text,
  batch_size: z.union([z.string(), z.number()]).nullish(),
  script: text,
  run: z.looseObject({ requests: requests.nullish() }).nullish(),
  python: z
    .looseObject({
      requirements_locked: z
        .looseObject({ default: z.record(z.string(), z.looseObject({ version: text })).nullish() })
        .nullish(),
    })
    .nullish(),
});
export type Specification = z.infer<typeof specification>;

const hwinfo = z.looseObject({
  cpu_features: z.looseObject({ flags: z.array(z.string()).nullish() }).nullish(),
  cpu_info: z
    .looseObject({
      brand_raw: text,
      vendor_id_raw: text,
      family: number,
      model: number,
      stepping: number,
      count: number,
      arch: text,
    })
    .nullish(),
  platform: z.looseObject({ machine: text, release: text, version: text }).nullish(),
});

export const result = z.looseObject({
  exit_code: z.number(),
  stdout: z.unknown(),
  stderr: text,
  datetime: text,
  start_datetime: text,
  end_datetime: text,
  script_sha256: text,
  hwinfo: hwinfo.nullish(),
  os_release: z.looseObject({ name: text, version_id: text }).nullish(),
  usage: z.looseObject({ ru_utime: number, ru_stime: number }).nullish(),
  /** In documents that pi-bench itself wrote; the first had no flags in it. */
  pi_bench: z
    .looseObject({
      flags: z.array(z.string()).nullish(),
      not_checked: z.array(z.string()).nullish(),
      launches_lost: text,
      contended_by: text,
    })
    .nullish(),
});
export type Result = z.infer<typeof result>;

/** The layout of 2019: one document of one launch. */
export const inspection2019 = z.looseObject({
  inspection_id: z.string(),
  created: text,
  job_log: result,
  specification,
  status: z.looseObject({ job: z.looseObject({ started_at: text, finished_at: text }).nullish() }).nullish(),
});
export type Inspection2019 = z.infer<typeof inspection2019>;

/** Sessions of ONNX Runtime of which is known who computes in them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { otherProvider } from './onnx-profile.js';

export type Tensor = object;

export interface Session {
  run(feeds: Record<string, Tensor>, fetches: Record<string, Tensor>): Promise<unknown>;
  endProfiling(): void;
  release(): Promise<void>;
}

/** As much of onnxruntime-node as is used. */
export interface Runtime {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: string, data: ArrayBufferView, dims: readonly number[]) => Tensor;
  readonly env: { readonly versions: { readonly node?: string; readonly common: string } };
}

export interface Asked {
  readonly model: Uint8Array;
  readonly options: object;
  /** What its runs are given, and where they put what they computed. */
  readonly feeds: Record<string, Tensor>;
  readonly fetches: Record<string, Tensor>;
  /** The memory of what is fetched: of floating point, or being there cannot be seen. */
  readonly result: Float32Array | Float64Array | Int32Array;
  /** The operator of the model, and the provider that has to compute it, as ONNX Runtime names them. */
  readonly operator: string;
  readonly provider: string;
}

/** @throws Error where a run ends before its result is there: its time would be that of asking for it */
async function proveWait(session: Session, { feeds, fetches, result }: Asked): Promise<void> {
  result.fill(Number.NaN);
  await session.run(feeds, fetches);
  if (Number.isNaN(result[0]) || Number.isNaN(result.at(-1)))
    throw new Error('a run of ONNX Runtime ended before its result was there');
}

/**
 * A session in which the provider computes, and whose runs end when their result is there. Its first run was profiled, and no
 * other is. Options say who may compute, and ONNX Runtime decides for itself who does.
 * @throws Error where another provider computed, the operator was not executed at all, or a run ended too soon
 */
export async function provenSession(runtime: Runtime, asked: Asked): Promise<Session> {
  const { model, options, feeds, fetches, operator, provider } = asked;
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-onnx-'));
  try {
    const session = await runtime.InferenceSession.create(model, {
      ...options,
      enableProfiling: true,
      profileFilePrefix: join(folder, 'profile'),
    });
    await session.run(feeds, fetches);
    session.endProfiling();
    const [file] = readdirSync(folder);
    if (file === undefined) throw new Error('ONNX Runtime wrote no profile, so who computed is not known');
    const problem = otherProvider(readFileSync(join(folder, file), 'utf8'), operator, provider);
    if (problem !== null) throw new Error(problem);
    await proveWait(session, asked);
    return session;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

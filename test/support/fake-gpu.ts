/** pi-bench on a GPU for tests that is none: fakes which a process finds by LD_LIBRARY_PATH. Its kernels are its own, so the modules it is given may hold anything. */
import { driverWithout, fakeEnvironment, fakeGpu, fakeNcclEnvironment } from './fake-gpu-build.mjs';
import { piBenchIn, piBench as plain, type Run } from './pi-bench.js';

export { fakeEnvironment, fakeGpu };

/** pi-bench where the fake GPU is. */
export const onFakeGpu = (settings: string, ...args: readonly string[]): Promise<Run> =>
  piBenchIn({ env: fakeEnvironment(fakeGpu(), settings) }, ...args);

/** pi-bench where there is a fake of NCCL, too. */
export const onFakeNccl = (settings: string, ...args: readonly string[]): Promise<Run> =>
  piBenchIn({ env: fakeNcclEnvironment(fakeGpu(), settings) }, ...args);

/** pi-bench with a driver that lacks this function. */
export function onBrokenDriver(symbol: string, ...args: readonly string[]): Promise<Run> {
  const path = `${driverWithout(symbol)}:${fakeGpu()}`;
  return piBenchIn({ env: { ...fakeEnvironment(fakeGpu()), LD_LIBRARY_PATH: path } }, ...args);
}

export const withoutGpu = plain;

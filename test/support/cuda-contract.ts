/** The kernels for NVIDIA GPUs that the native code asks for, as its headers name them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The symbols that the contract names, with the module that each must be in. */
export function contractSymbols(): { symbol: string; module: string }[] {
  const read = (name: string) => readFileSync(join('kernels', 'cuda', name), 'utf8');
  const found: { symbol: string; module: string }[] = [];
  for (const [, engine, symbol] of read('contract_gemm.h').matchAll(/(wgmma|mma|scalar)\("(pibench_\w+)"/g)) {
    const fp8 = engine === 'mma' && symbol?.includes('float8') ? '_fp8' : '';
    found.push({ symbol: symbol ?? '', module: `gemm_${engine}${fp8}` });
  }
  const contract = read('contract.h');
  for (const [, symbol, module] of contract.matchAll(/"(pibench_\w+)",\s*"(\w+)"/g))
    found.push({ symbol: symbol ?? '', module: module ?? '' });
  for (const [, symbol] of contract.matchAll(/Support k\w+\{"(pibench_\w+)"/g))
    found.push({ symbol: symbol ?? '', module: 'support' });
  return found;
}

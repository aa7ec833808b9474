import { describe, expect, it } from 'vitest';
import { otherProvider } from '../../src/frameworks/onnx-profile.js';

const CUDA = 'CUDAExecutionProvider';
const node = (op_name: string, provider: string) => ({
  cat: 'Node',
  name: `${op_name}_kernel_time`,
  args: { op_name, provider },
});
const session = { cat: 'Session', name: 'session_initialization', args: {} };
const problem = (events: unknown): string | null => otherProvider(JSON.stringify(events), 'MatMul', CUDA);

describe('who computed, by the profile of ONNX Runtime', () => {
  it('is the provider that was asked where it alone executed the operator', () => {
    expect(problem([session, node('MatMul', CUDA), node('MatMul', CUDA)])).toBeNull();
    // Copies are nobody's product.
    expect(problem([node('MemcpyToHost', 'CPUExecutionProvider'), node('MatMul', CUDA)])).toBeNull();
  });

  it.each([
    ['another provider did', [node('MatMul', 'CPUExecutionProvider')], /CPUExecutionProvider has computed/],
    [
      'another did in one of the runs',
      [node('MatMul', CUDA), node('MatMul', 'CPUExecutionProvider')],
      /CPUExecutionProvider has computed/,
    ],
    ['nobody executed one', [session, node('Cast', CUDA)], /executed no MatMul/],
    ['a node names nobody', [{ cat: 'Node', args: { op_name: 'MatMul' } }], /undefined has computed/],
    ['the file holds no event', [], /executed no MatMul/],
  ])('is refused where %s', (_, events, why) => {
    expect(problem(events)).toMatch(why);
  });

  it.each(['', 'no JSON', '{"events": []}'])('cannot be told from %j', (text) => {
    expect(() => otherProvider(text, 'MatMul', CUDA)).toThrow(/is not known/);
  });
});

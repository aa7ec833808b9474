/** A command for GPUs whose pods ask for none. */
import { describe, expect, it } from 'vitest';
import { gpuHint } from '../../src/submit/kubernetes-hint.js';

const HINT = /^this command is for GPUs, and most clusters show a pod none .* --limits nvidia\.com\/gpu=8/;
const hintOf = (command: string, limits: readonly string[] | null = null) =>
  gpuHint({ limits }, command.split(' '));

describe('pods that ask for no GPU', () => {
  it.each([
    'qualify --expect cpu=64,gpu=8',
    'qualify --expect=gpu=8',
    'matmul --device cuda:all',
  ])('get a hint where the command is for GPUs: %s', (command) => {
    expect(hintOf(command)).toMatch(HINT);
    expect(hintOf(command, ['cpu=64', 'memory=10Gi'])).toMatch(HINT);
  });

  it.each([
    'qualify',
    'qualify --expect gpu=0,cpu=64',
    'matmul --device cpu',
    'run campaign.yaml',
  ])('get none where nothing says that it is: %s', (command) => expect(hintOf(command)).toBeNull());

  it('are none where some device is asked for, whoever makes it', () => {
    for (const limit of ['nvidia.com/gpu=8', 'nvidia.com/mig-1g.5gb=1', 'amd.com/gpu=8'])
      expect(hintOf('qualify --expect gpu=8', ['cpu=64', limit])).toBeNull();
  });
});

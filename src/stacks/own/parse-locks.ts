/** Reads a file of locks; who only writes one needs no parser of YAML. Pure. */
import { checkYaml } from '../../checked-yaml.js';
import { lockFile, type StackLocks } from './lock.js';

/** @throws UserError that names the line */
export const parseLocks = (content: string, name: string): StackLocks =>
  checkYaml(content, name, 'a stack lock', lockFile).data.stacks;

/** Of a scheduler that was told something and did not answer, or whose answer was lost: whether it did it, nobody here knows. */
import { UserError } from '../errors.js';

export class NoAnswer extends UserError {}

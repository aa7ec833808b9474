/** Quantities by name. Every number of the domain has one of these types, never a bare `number` with a comment. */
export type Seconds = number;
export type Hertz = number;
export type Bytes = number;
/** Floating-point operations (for integer types: integer operations), a multiply-add counting as two. */
export type Flop = number;
export type Joules = number;
export type Watts = number;
export type Celsius = number;
/** A share of a whole, 0 to 1. */
export type Ratio = number;

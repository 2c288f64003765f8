import { types } from 'pg';

/** `bigint`, which pg gives as text: ours are times and counters, far below 2^53. */
const INT8 = 20;

/** Parsers for values of PostgreSQL. */
export const NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format as 'text'),
};

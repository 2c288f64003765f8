import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyFailure, StoreUnavailableError } from './errors.ts';

const coded = (code: string): Error => Object.assign(new Error(code), { code });
const sqlite = (errcode: number): Error =>
  Object.assign(new Error('sqlite'), { code: 'ERR_SQLITE_ERROR', errcode });

const CASES: readonly [what: string, error: unknown, expected: ReturnType<typeof classifyFailure>][] = [
  ['SQLite: locked by a backup', sqlite(5), 'repeat'],
  ['SQLite: busy with a snapshot, an extended code', sqlite(517), 'repeat'],
  ['SQLite: the disk is full', sqlite(13), 'unavailable'],
  ['SQLite: an extended I/O error', sqlite(778), 'unavailable'],
  ['SQLite: a unique index', sqlite(2067), 'conflict'],
  ['SQLite: a missing table', sqlite(1), 'defect'],
  ['PostgreSQL: serialisation', coded('40001'), 'repeat'],
  ['PostgreSQL: deadlock', coded('40P01'), 'repeat'],
  ['PostgreSQL: a unique index', coded('23505'), 'conflict'],
  ['PostgreSQL: shutting down', coded('57P01'), 'unavailable'],
  ['PostgreSQL: too many connections', coded('53300'), 'unavailable'],
  ['PostgreSQL: the disk is full', coded('53100'), 'unavailable'],
  ['PostgreSQL: a missing column', coded('42703'), 'defect'],
  ['nobody listens', coded('ECONNREFUSED'), 'unavailable'],
  ['a connection that ended', new Error('Connection terminated unexpectedly'), 'unavailable'],
  ['all connections are in use', new Error('timeout exceeded when trying to connect'), 'unavailable'],
  ['known to be away', new StoreUnavailableError('away'), 'unavailable'],
  ['a mistake of the program', new TypeError('x is undefined'), 'defect'],
];

for (const [what, error, expected] of CASES) {
  test(`${what}: ${expected}`, () => assert.equal(classifyFailure(error), expected));
}

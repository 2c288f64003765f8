import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProgram, isExecutable, readOrEmpty } from './machine.ts';

const PROGRAMS = new Set(['/usr/bin/tc', '/sbin/tc', 'tc']);

for (const [name, searchPath, found] of [
  ['tc', '/bin:/sbin:/usr/bin', '/sbin/tc'],
  ['tc', '/bin', undefined],
  ['tc', '', undefined],
  ['tc', ':/usr/bin:', '/usr/bin/tc'],
  ['nft', '/bin:/sbin:/usr/bin', undefined],
] as const) {
  test(`machine: ${name} in ${JSON.stringify(searchPath)} is ${found ?? 'not there'}`, () => {
    assert.equal(
      findProgram(name, searchPath, (path) => PROGRAMS.has(path)),
      found,
    );
  });
}

test('machine: what is missing is empty, and no program', () => {
  const missing = `${import.meta.filename}.missing`;
  assert.deepEqual([readOrEmpty(missing), isExecutable(missing)], ['', false]);
  assert.deepEqual([readOrEmpty(import.meta.filename) === '', isExecutable(process.execPath)], [false, true]);
});

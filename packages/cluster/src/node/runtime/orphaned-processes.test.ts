import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { endOfEnvironment } from './orphaned-processes.ts';

const fields = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).join(' ');

test('strays: env_end is read from the 51st field, also when the process has a name with blanks and parentheses', () => {
  assert.equal(endOfEnvironment(`7 (sleep) S ${fields(4, 52)}\n`), '51');
  assert.equal(endOfEnvironment(`7 (a) 0 (b) S ${fields(4, 52)}\n`), '51');
  assert.equal(endOfEnvironment(''), undefined);
});

test('strays: a program that runs has one', { skip: process.platform !== 'linux' }, () => {
  assert.notEqual(endOfEnvironment(readOrEmpty('/proc/self/stat')), '0');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choosePod } from './choose-pod.ts';

const pod = (name: string, isThere: boolean | null, isKept = false) => ({ name, isThere, isKept });
const ROWS: readonly (readonly [
  name: string,
  pods: readonly ReturnType<typeof pod>[],
  named: string,
  chosen: string | undefined,
])[] = [
  ['the one that the link names, also a gone one', [pod('a', false), pod('b', true)], 'a', 'a'],
  ['none for a name that is not there', [pod('b', true)], 'a', undefined],
  ['the latest one', [pod('a', true), pod('b', true)], '', 'b'],
  ['the experiment before its runner', [pod('e-x1', true), pod('e-runner', true)], '', 'e-x1'],
  ['the runner while there is no other', [pod('e-runner', true)], '', 'e-runner'],
  ['a gone one whose log is kept', [pod('a', false, true), pod('b', false)], '', 'a'],
  ['a kept one before one of which nobody knows', [pod('a', false, true), pod('b', null)], '', 'a'],
  ['one of which nobody knows whether it is there', [pod('a', null)], '', 'a'],
  ['none when all are gone', [pod('a', false)], '', undefined],
];

for (const [name, pods, named, chosen] of ROWS)
  test(`the log that is shown: ${name}`, () => assert.equal(choosePod(pods, named)?.name, chosen));

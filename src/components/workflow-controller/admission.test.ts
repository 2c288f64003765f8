import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Admission, type Applicant } from './admission.ts';

const applicant = (key: string, createdAt: number, priority = 0): Applicant => ({
  key,
  namespace: key.split('/')[0] ?? '',
  priority,
  createdAt,
});

function admission(parallelism: number, ofNamespace = 0): Admission {
  return new Admission(() => ({ parallelism, ofNamespace: () => ofNamespace }));
}

test('without limits everybody may begin', () => {
  const free = admission(0);
  assert.deepEqual(
    [1, 2, 3].map((at) => free.admits(applicant(`n/${at}`, at))),
    [true, true, true],
  );
});

test('a free place goes to the one with the highest priority, then to the oldest', () => {
  const one = admission(1);
  assert.equal(one.admits(applicant('n/first', 1)), true);
  assert.equal(one.admits(applicant('n/young', 3)), false);
  assert.equal(one.admits(applicant('n/old', 2)), false);
  assert.equal(one.admits(applicant('n/urgent', 4, 5)), false);
  assert.deepEqual(one.left('n/first'), ['n/urgent']);
  // Who comes while the place is still free does not pass by.
  assert.equal(one.admits(applicant('n/late', 5)), false);
  assert.equal(one.admits(applicant('n/urgent', 4, 5)), true);
  assert.deepEqual(one.left('n/urgent'), ['n/old']);
});

test('a full namespace keeps none of another one waiting', () => {
  const some = admission(3, 1);
  assert.equal(some.admits(applicant('a/1', 1)), true);
  assert.equal(some.admits(applicant('a/2', 2)), false);
  assert.equal(some.admits(applicant('b/1', 3)), true);
  assert.deepEqual(some.left('b/1'), []);
  assert.deepEqual(some.left('a/1'), ['a/2']);
});

test('what ran before a restart takes its place whatever the limit is', () => {
  const one = admission(1);
  one.runs('n/1', 'n');
  one.runs('n/2', 'n');
  assert.equal(one.admits(applicant('n/3', 3)), false);
  assert.deepEqual(one.left('n/1'), []);
  assert.deepEqual(one.left('n/2'), ['n/3']);
});

test('one who waits and goes leaves the line', () => {
  const one = admission(1);
  assert.equal(one.admits(applicant('n/1', 1)), true);
  assert.equal(one.admits(applicant('n/2', 2)), false);
  assert.equal(one.admits(applicant('n/3', 3)), false);
  assert.deepEqual(one.left('n/2'), []);
  assert.deepEqual(one.left('n/1'), ['n/3']);
});

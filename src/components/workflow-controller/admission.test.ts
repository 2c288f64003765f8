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

test('without limits every workflow may begin', () => {
  const free = admission(0);
  assert.deepEqual(
    [1, 2, 3].map((at) => free.admits(applicant(`n/${at}`, at))),
    [true, true, true],
  );
});

test('a free place goes to the workflow with the highest priority, then to the oldest', () => {
  const one = admission(1);
  assert.equal(one.admits(applicant('n/first', 1)), true);
  assert.equal(one.admits(applicant('n/young', 3)), false);
  assert.equal(one.admits(applicant('n/old', 2)), false);
  assert.equal(one.admits(applicant('n/urgent', 4, 5)), false);
  assert.deepEqual(one.left('n/first'), ['n/urgent']);
  // The free place is kept for the urgent one: a later workflow does not get it.
  assert.equal(one.admits(applicant('n/late', 5)), false);
  assert.equal(one.admits(applicant('n/urgent', 4, 5)), true);
  assert.deepEqual(one.left('n/urgent'), ['n/old']);
});

test('workflows that wait for a full namespace do not hold up those of another namespace', () => {
  const some = admission(3, 1);
  assert.equal(some.admits(applicant('a/1', 1)), true);
  assert.equal(some.admits(applicant('a/2', 2)), false);
  assert.equal(some.admits(applicant('b/1', 3)), true);
  assert.deepEqual(some.left('b/1'), []);
  assert.deepEqual(some.left('a/1'), ['a/2']);
});

test('a workflow that ran before a restart goes on, and counts, even where the limit is full', () => {
  const one = admission(1);
  one.runs('n/1', 'n');
  one.runs('n/2', 'n');
  assert.equal(one.admits(applicant('n/3', 3)), false);
  assert.deepEqual(one.left('n/1'), []);
  assert.deepEqual(one.left('n/2'), ['n/3']);
});

test('a waiting workflow that is deleted leaves the queue', () => {
  const one = admission(1);
  assert.equal(one.admits(applicant('n/1', 1)), true);
  assert.equal(one.admits(applicant('n/2', 2)), false);
  assert.equal(one.admits(applicant('n/3', 3)), false);
  assert.deepEqual(one.left('n/2'), []);
  assert.deepEqual(one.left('n/1'), ['n/3']);
});

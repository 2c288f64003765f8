import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dependsText, evaluateDepends, type TaskResult } from './depends.ts';

const NONE: TaskResult = {
  Succeeded: false,
  Failed: false,
  Errored: false,
  Skipped: false,
  Omitted: false,
  Daemoned: false,
  AnySucceeded: false,
  AllFailed: false,
};

const RESULTS: Readonly<Record<string, TaskResult>> = {
  good: { ...NONE, Succeeded: true },
  bad: { ...NONE, Failed: true },
  skip: { ...NONE, Skipped: true },
  'dash-ed': { ...NONE, Succeeded: true, AnySucceeded: true },
};

describe('conditions of tasks', () => {
  const rows: readonly [depends: string, holds: boolean][] = [
    ['good', true],
    ['bad', false],
    ['skip', true],
    ['bad.Failed && good', true],
    ['!good.Failed || bad.Errored', true],
    ['(good && skip) || bad.Succeeded', true],
    ['dash-ed.AnySucceeded && !(bad)', true],
    ['good.Omitted', false],
  ];
  for (const [depends, holds] of rows) {
    test(depends, () =>
      assert.equal(
        evaluateDepends(depends, (task) => RESULTS[task] ?? NONE),
        holds,
      ),
    );
  }
});

test('dependencies respect continueOn of what they name', () => {
  const text = dependsText({ name: 'x', dependencies: ['a', 'b'] }, (name) =>
    name === 'b' ? { name, continueOn: { failed: true } } : { name },
  );
  assert.equal(
    text,
    '(a.Succeeded || a.Skipped || a.Daemoned) && (b.Succeeded || b.Skipped || b.Daemoned || b.Failed)',
  );
});

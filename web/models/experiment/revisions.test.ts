import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOfOtherRevision } from './revisions.ts';

test('a run is marked whose experiment was changed since the run before', () => {
  const runs = [
    { runSequence: 4, revisionID: 'b' },
    { runSequence: 3, revisionID: 'b' },
    { runSequence: 2, revisionID: 'a' },
  ];
  assert.deepEqual(
    runs.map((run) => runOfOtherRevision(runs, run)?.runSequence),
    [undefined, 2, undefined],
  );
});

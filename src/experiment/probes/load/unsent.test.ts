import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counted, isTooLittle, NOTHING_DUE, type SendingCounts, together, unsentWords } from './unsent.ts';

const counts = (rest: Partial<SendingCounts>): SendingCounts => ({ ...NOTHING_DUE, ...rest });

describe('what was not sent', () => {
  const table: readonly [Partial<SendingCounts>, string | undefined, boolean][] = [
    [{}, undefined, false],
    [{ sent: 1000 }, undefined, false],
    [
      { sent: 912, late: 88, latestMs: 1234 },
      "sent 912 of 1000; 88 were not sent: the load's own process was late by up to 1.2 s",
      false,
    ],
    [
      { sent: 9, busy: 1 },
      'sent 9 of 10; 1 was not sent: as many requests as allowed (4) were under way',
      false,
    ],
    [
      { sent: 89, late: 1, busy: 10, latestMs: 300 },
      "sent 89 of 100; 11 were not sent: 1 because the load's own process was late by up to 300 ms, and 10 because as many requests as allowed (4) were under way",
      true,
    ],
    [
      { late: 1, latestMs: 300 },
      "sent 0 of 1; 1 was not sent: the load's own process was late by up to 300 ms",
      true,
    ],
  ];
  for (const [given, words, tooLittle] of table) {
    it(words ?? 'nothing', () => {
      assert.equal(unsentWords(counts(given), 4), words);
      assert.equal(isTooLittle(counts(given)), tooLittle);
    });
  }

  it('is counted by its cause', () => {
    const one = counted(NOTHING_DUE, { outcome: 'answered', atMs: 1, tookMs: 2, lagMs: 0, target: 0 });
    const late = counted(one, { outcome: 'unsent', atMs: 3, count: 7, why: 'late', lateMs: 900 });
    const all = together(late, counts({ busy: 2, latestMs: 10 }));
    assert.deepEqual(all, { sent: 1, late: 7, busy: 2, latestMs: 900 });
  });
});

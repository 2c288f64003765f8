import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMemoryPressure } from './oom-kills.ts';

test('kills for want of memory, as both versions of cgroups count them', () => {
  const first = 'oom_kill_disable 0\nunder_oom 0\noom_kill 14\n';
  const second = 'low 0\nhigh 0\nmax 120\noom 3\noom_kill 3\noom_group_kill 0\n';
  const rows: [string, string, ReturnType<typeof parseMemoryPressure>][] = [
    [first, '157286400\n', { kills: 14, limitBytes: 157286400 }],
    [first, '9223372036854771712\n', { kills: 14, limitBytes: undefined }],
    [second, '157286400\n', { kills: 3, limitBytes: 157286400 }],
    [second, 'max\n', { kills: 3, limitBytes: undefined }],
    [second, '', { kills: 3, limitBytes: undefined }],
    ['oom_kill_disable 0\nunder_oom 0\n', '1\n', undefined],
    ['', '', undefined],
  ];
  for (const [events, limit, expected] of rows) {
    assert.deepEqual(parseMemoryPressure(events, limit), expected, JSON.stringify([events, limit]));
  }
});

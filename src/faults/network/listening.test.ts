import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOpen } from './listening.ts';

test('open connections from elsewhere are counted at their ports', () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n';
  const line = (local: string, remote: string, state: string): string =>
    `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 1 1\n`;
  const pod = '0100630A';
  const other = '0200630A';
  const rows: [string, string, number][] = [
    ['nothing', '', 0],
    ['two', line(`${pod}:1F90`, `${other}:C001`, '01') + line(`${pod}:1F90`, `${other}:C002`, '01'), 2],
    ['one that listens', line('00000000:1F90', '00000000:0000', '0A'), 0],
    ['one that has ended', line(`${pod}:1F90`, `${other}:C001`, '06'), 0],
    ['another port', line(`${pod}:1F91`, `${other}:C001`, '01'), 0],
    ['one of its own', line(`${pod}:C001`, `${other}:1F90`, '01'), 0],
    ['one from the same machine', line(`${pod}:1F90`, `${pod}:C001`, '01'), 0],
    ['IPv6', line('00000000000000000000000000000001:1F90', '00000000000000000000000000000002:C001', '01'), 1],
  ];
  for (const [name, lines, expected] of rows)
    assert.equal(countOpen(head + lines, [8080, 9090]), expected, name);
});

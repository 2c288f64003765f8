import assert from 'node:assert/strict';
import { test } from 'node:test';
import { k6Effect } from './k6-effect.ts';

const PASSIVE = `     data_received........: 0 B 0 B/s
     iteration_duration...: avg=1s min=1s med=1s max=1s p(90)=1s p(95)=1s
     iterations...........: 10  0.99/s
     vus..................: 1   min=1 max=1
`;

test('what the summary of k6 says of its load', () => {
  const rows: [string, string, string | undefined][] = [
    ['no summary', 'time="2030" level=info msg="x"\n', undefined],
    [
      'nothing was sent',
      `${PASSIVE}     data_sent............: 0 B 0 B/s\n`,
      'false k6 sent nothing; look at',
    ],
    ['something was sent', `${PASSIVE}     data_sent............: 1.2 kB 120 B/s\n`, 'true k6 sent 1.2 kB'],
    [
      'requests',
      `${PASSIVE}     data_sent...: 8 B 1 B/s\n     http_reqs....: 12  1.1/s\n`,
      'true k6 made 12 HTTP',
    ],
    [
      'the form of k6 1',
      `    NETWORK\n    data_received: 0 B 0 B/s\n    data_sent....: 0 B 0 B/s\n`,
      'false k6 sent',
    ],
    ['an extension', `${PASSIVE}     data_sent....: 0 B 0 B/s\n     kafka_writes....: 9\n`, undefined],
  ];
  for (const [name, log, expected] of rows) {
    const found = k6Effect(log);
    const said = found && `${found.seen} ${found.message}`;
    if (expected === undefined) assert.equal(said, undefined, name);
    else assert.ok(said?.startsWith(expected), `${name}: ${said}`);
  }
});

/**
 * What an httpProbe that measures every 10 ms costs: processor time of the process that runs it, beside a process that sends the same
 * requests and does nothing else, alternately. Prints a table and, with `--json FILE`, writes it. `--rounds N` (default 3),
 * `--seconds N` per round (default 10), `--interval MS` (default 10).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { formatColumns, median, writeJson } from './report.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    interval: { type: 'string', default: '10' },
    json: { type: 'string' },
  },
});

/** What a sender did in a round. */
interface Round {
  readonly requests: number;
  /** Processor time of the process, in percent of one core. */
  readonly corePercent: number;
}

const SENDERS = ['bare', 'probe'] as const;

let requests = 0;
const server = createServer((_request, response) => {
  requests += 1;
  response.end('ok');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('the server has no port');
const url = `http://127.0.0.1:${address.port}/`;

async function round(sender: (typeof SENDERS)[number]): Promise<Round> {
  const child = fork(new URL('probe/sender.ts', import.meta.url), [
    sender,
    url,
    options.interval,
    options.seconds,
  ]);
  await once(child, 'message');
  const before = requests;
  const [corePercent]: unknown[] = await once(child, 'message');
  const sent = requests - before;
  await once(child, 'exit');
  return { requests: sent, corePercent: Number(corePercent) };
}

const rounds: { sender: string; rounds: Round[] }[] = SENDERS.map((sender) => ({ sender, rounds: [] }));
for (let count = 0; count < Number(options.rounds); count++) {
  for (const { sender, rounds: own } of rounds) own.push(await round(sender === 'bare' ? 'bare' : 'probe'));
}
server.close();

console.log(
  `One request every ${options.interval} ms, medians of ${options.rounds} rounds of ${options.seconds} s\n`,
);
console.log(
  formatColumns(
    ['', 'requests/s', '% of a core'],
    rounds.map(({ sender, rounds: own }) => [
      sender === 'bare' ? 'requests alone' : 'httpProbe',
      (median(own.map(({ requests }) => requests)) / Number(options.seconds)).toFixed(0),
      median(own.map(({ corePercent }) => corePercent)).toFixed(1),
    ]),
  ),
);
await writeJson(options.json, { options, rounds });

/**
 * Agents that report runs, as a process of its own: the requests are written by hand on sockets that stay open, so that most of the machine
 * is left to the server. Each socket waits for an answer before it sends the next word. Reads its load from standard input as JSON, prints
 * {@link ClientFigures} as JSON.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ACCOUNTS_OF_RUN, type Estate } from '../../test/crash/server/estate.ts';

/** The events that the client is to send. */
export interface EventLoad {
  readonly url: string;
  readonly agent: Estate['agents'][number];
  readonly experiments: readonly string[];
  /** IDs of runs begin with it. */
  readonly prefix: string;
  /** Three words each. */
  readonly runs: number;
  readonly sockets: number;
}

/** What it took. */
export interface ClientFigures {
  readonly seconds: number;
  /** Processor time of the client. */
  readonly processorSeconds: number;
}

const QUERY = 'mutation ($r: ExperimentRunRequest!) { chaosExperimentRun(request: $r) }';
const HEAD_END = '\r\n\r\n';
const DATA = ACCOUNTS_OF_RUN.map((account) => Buffer.from(account).toString('base64'));

const load = JSON.parse(await text(process.stdin)) as EventLoad;
const { hostname, port, host } = new URL(load.url);
const sockets = await Promise.all(
  Array.from({ length: load.sockets }, async () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return socket.setEncoding('latin1');
  }),
);
let next = 0;
const [startedAt, before] = [performance.now(), process.cpuUsage()];
await Promise.all(sockets.map(tell));
const { user, system } = process.cpuUsage(before);
const figures: ClientFigures = {
  seconds: (performance.now() - startedAt) / 1_000,
  processorSeconds: (user + system) / 1e6,
};
console.log(JSON.stringify(figures));
for (const socket of sockets) socket.destroy();

/** Reports runs, one after the other, until none is left. */
function tell(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [run, step, answer] = [next++, 0, ''];
  const send = (): void => {
    if (run >= load.runs) resolve();
    else socket.write(requestOf(run, step));
  };
  socket.on('data', (chunk: string) => {
    answer += chunk;
    const head = answer.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? Number.NaN);
    if (answer.length < head + HEAD_END.length + length) return;
    if (!answer.startsWith('HTTP/1.1 200') || answer.includes('"errors"')) reject(new Error(answer));
    answer = '';
    step = (step + 1) % DATA.length;
    if (step === 0) run = next++;
    send();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server has closed the connection')));
  send();
  return promise;
}

function requestOf(run: number, step: number): string {
  const experiment = load.experiments[run % load.experiments.length] ?? '';
  const body = JSON.stringify({
    query: QUERY,
    variables: {
      r: {
        ...{ experimentID: experiment, experimentRunID: `${load.prefix}${run}`, experimentName: experiment },
        ...{ infraID: load.agent, revisionID: '', completed: step === DATA.length - 1, updatedBy: '' },
        ...{ isRemoved: false, executionData: DATA[step] },
      },
    },
  });
  return `POST /query HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}${HEAD_END}${body}`;
}

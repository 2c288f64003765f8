import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { ServerProcess } from '../../test/crash/server/server-process.ts';
import type { ClientFigures, EventLoad } from './event-client.ts';

/** What words on runs cost. */
export interface EventFigures {
  readonly perSecond: number;
  /** Processor time of the server for each. */
  readonly serverMs: number;
  /** Processor time of the client for each. */
  readonly clientMs: number;
}

/** Words of a run, from its first to its last. */
const WORDS = 3;

/** Has a process of its own report runs, and measures that. */
export async function sendEvents(server: ServerProcess, load: EventLoad): Promise<EventFigures> {
  const before = server.processorSeconds;
  const client = execFile(process.execPath, [join(import.meta.dirname, 'event-client.ts')]);
  const { promise, resolve, reject } = Promise.withResolvers<ClientFigures>();
  let [said, wrong] = ['', ''];
  client.stdout?.on('data', (chunk: string) => (said += chunk));
  client.stderr?.on('data', (chunk: string) => (wrong += chunk));
  client.once('close', (code) => {
    if (code === 0) resolve(JSON.parse(said));
    else reject(new Error(`the client of run events ended with ${code}: ${wrong}`));
  });
  client.stdin?.end(JSON.stringify(load));
  const { seconds, processorSeconds } = await promise;
  const words = load.runs * WORDS;
  return {
    perSecond: words / seconds,
    serverMs: ((server.processorSeconds - before) * 1_000) / words,
    clientMs: (processorSeconds * 1_000) / words,
  };
}

import { type Summary, summarize } from '../report.ts';
import type { Answer, Connection } from './connection.ts';

/** What one kind of request achieved. */
export interface LoadFigures {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly latency: Summary;
}

/** A request that worked: what was asked, for messages, and the answer's status. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';

  constructor(what: string, answer: Answer) {
    super(`${what} was answered ${answer.status}: ${answer.body.toString('utf8', 0, 300)}`);
  }
}

/** Sends one request and insists that it works. */
export async function ask(
  connection: Connection,
  method: string,
  path: string,
  body?: string,
): Promise<Answer> {
  const answer = await connection.request(method, path, body);
  if (answer.status >= 300) throw new UnexpectedAnswerError(`${method} ${path}`, answer);
  return answer;
}

/** Sends the next request of a load; false when none is left. */
export type Step = (connection: Connection) => Promise<unknown> | false;

/** Lets every connection send one request after the other until the time is over or the steps have run out. */
export async function runLoad(
  connections: readonly Connection[],
  durationMs: number,
  step: Step,
): Promise<LoadFigures> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  await Promise.all(
    connections.map(async (connection) => {
      for (let before = performance.now(); before < endsAt; ) {
        const asked = step(connection);
        if (asked === false) break;
        await asked;
        const after = performance.now();
        latencies.push(after - before);
        before = after;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: latencies.length / seconds, latency: summarize(latencies) };
}

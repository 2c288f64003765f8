import { type Answer, textOf } from './exchange.ts';

/** A server has answered that it will not do it. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly status: number;

  constructor(what: string, status: number, said: string) {
    super(`${what} was answered with ${status}${said === '' ? '' : `: ${said}`}`);
    this.status = status;
  }
}

const MOST_SAID = 500;

/** The error for an answer with a bad status: the server's explanation is read from its body. */
export async function failureOf(what: string, { status, body }: Answer): Promise<HttpFailure> {
  const said = await textOf(body, 10_000).catch(() => '');
  // Of an error page in XML, as S3 servers send it, only the code and the sentence are for people.
  const parts = [/<Code>([^<]*)</.exec(said)?.[1], /<Message>([^<]*)</.exec(said)?.[1]].filter(
    (part) => part !== undefined,
  );
  const text = parts.length > 0 ? parts.join(': ') : said;
  return new HttpFailure(what, status, text.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_SAID));
}

const BROKEN = /^(?:ECONN|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|EPIPE|UND_ERR)/;

/** Whether it may go well the next time: servers that are overloaded or not there yet, and connections that broke. */
export function isPassing(error: unknown): boolean {
  if (error instanceof HttpFailure)
    return error.status >= 500 || error.status === 429 || error.status === 408;
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return BROKEN.test(error.code);
  return error.message.startsWith('no answer for') || error.message === 'aborted';
}

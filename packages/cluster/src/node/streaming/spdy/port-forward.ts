import { type ForwardTarget, forward } from '../forward.ts';
import { isPort } from '../options.ts';
import type { SpdySession } from './session.ts';
import type { SpdyStream } from './stream.ts';

interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
}

/**
 * Forwards ports in streams: for each connection the client opens one for errors and one for the data, which belong
 * together by their request id. Resolves when the client has gone; never rejects.
 * (kubernetes, `staging/src/k8s.io/kubelet/pkg/cri/streaming/portforward/httpstream.go`)
 */
export async function forwardSpdy(session: SpdySession, target: ForwardTarget): Promise<void> {
  const pairs = new Map<string, Pair>();
  await session.run((stream) => {
    const type = stream.headers.get('streamtype');
    const port = Number(stream.headers.get('port'));
    if ((type !== 'data' && type !== 'error') || !isPort(port)) return false;
    const id = requestId(stream);
    const pair = pairs.get(id) ?? {};
    if (pair[type] !== undefined) return false;
    pairs.set(id, pair);
    pair[type] = stream;
    stream.once('close', () => {
      if (pairs.get(id) === pair) pairs.delete(id);
    });
    const { data, error } = pair;
    if (data !== undefined && error !== undefined) {
      pairs.delete(id);
      void forwardPair(port, data, error, target);
    }
    return true;
  });
}

async function forwardPair(
  port: number,
  data: SpdyStream,
  error: SpdyStream,
  target: ForwardTarget,
): Promise<void> {
  error.resume();
  const problem = await forward(port, { input: data, output: data }, target);
  if (problem !== '') error.write(problem);
  error.end();
}

/** Old clients give none; they open the stream for errors right before that for the data. */
function requestId({ id, headers }: SpdyStream): string {
  const given = headers.get('requestid');
  if (given !== undefined) return given;
  return String(headers.get('streamtype') === 'error' ? id : id - 2);
}

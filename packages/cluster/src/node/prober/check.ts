import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Clock } from '@turnsole/kube/base/clock';
import type { Container, LifecycleHandler, Probe } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type RunningContainer, StartError } from '../runtime/types.ts';
import type { CheckOutcome } from './check-outcome.ts';
import { checkGrpc } from './grpc.ts';

/** The action of a probe or lifecycle hook; one of the fields is set (API reference: Probe, LifecycleHandler). */
export type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> &
  Pick<LifecycleHandler, 'sleep'>;

type HttpGet = NonNullable<Handler['httpGet']>;

/** The target of a check. */
export interface CheckTarget {
  readonly podIP: string;
  readonly container: Container;
  readonly running: Pick<RunningContainer, 'exec'>;
  readonly clock: Clock;
}

const MAX_OUTPUT_BYTES = 10 * 1024;
const MAX_REDIRECTS = 10;

/** Makes one attempt, which takes at most `timeoutMs`; aborting the signal counts as a failure. Never rejects. */
export async function check(
  handler: Handler,
  target: CheckTarget,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const limit = new AbortController();
  const onAbort = (): void => limit.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const cancel = target.clock.setTimer(timeoutMs, onAbort, { unref: true });
  try {
    if (signal.aborted) return { ok: false, message: 'the check was given up' };
    if (handler.exec !== undefined) {
      return await checkExec(handler.exec.command ?? [], target, timeoutMs, limit.signal);
    }
    if (handler.httpGet !== undefined) return await checkHttp(handler.httpGet, target, limit.signal);
    if (handler.tcpSocket !== undefined) {
      const { host, port } = handler.tcpSocket;
      return await checkTcp(host ?? target.podIP, portNumber(port, target.container), limit.signal);
    }
    if (handler.grpc !== undefined) {
      return await checkGrpc(handler.grpc, target.podIP, timeoutMs, limit.signal);
    }
    return { ok: false, message: 'the probe does not say what to do' };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Gives the number of a port that may be given by its name in the container. @throws Error for an unknown name */
function portNumber(port: number | string, container: Container): number {
  const number = Number(port);
  if (Number.isInteger(number)) return number;
  const named = container.ports?.find((candidate) => candidate.name === port);
  if (named === undefined)
    throw new Error(`couldn't find port ${JSON.stringify(port)} in container ${container.name}`);
  return named.containerPort;
}

async function checkExec(
  command: readonly string[],
  { running }: CheckTarget,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  let process: Awaited<ReturnType<RunningContainer['exec']>>;
  try {
    process = await running.exec(command);
  } catch (error) {
    if (error instanceof StartError) return { ok: false, message: error.message };
    throw error;
  }
  const kill = (): void => process.kill();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  process.stdin.end();
  let output = '';
  const collect = (chunk: Uint8Array): void => {
    if (output.length < MAX_OUTPUT_BYTES) output += Buffer.from(chunk).toString();
  };
  process.stdout.on('data', collect);
  process.stderr.on('data', collect);
  const closed = Promise.all([once(process.stdout, 'close'), once(process.stderr, 'close')]);
  const { exitCode } = await process.exited;
  signal.removeEventListener('abort', kill);
  // A child of the command may hold the pipes; the bytes that are in them already are enough.
  await Promise.race([closed, new Promise((resolve) => setImmediate(resolve))]);
  if (signal.aborted) {
    const text = JSON.stringify(command.join(' '));
    return { ok: false, message: `command timed out: ${text} timed out after ${timeoutMs / 1000}s` };
  }
  return { ok: exitCode === 0, message: output.trimEnd() };
}

async function checkHttp(get: HttpGet, target: CheckTarget, signal: AbortSignal): Promise<CheckOutcome> {
  const scheme = (get.scheme ?? 'HTTP').toLowerCase();
  const path = get.path ?? '/';
  const host = get.host ?? target.podIP;
  const origin = `${scheme}://${host}:${portNumber(get.port, target.container)}`;
  let url = new URL(path.startsWith('/') ? `${origin}${path}` : `${origin}/${path}`);
  for (let redirects = 0; ; redirects++) {
    const response = await httpGet(url, get.httpHeaders ?? [], signal);
    response.destroy();
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (status >= 300 && status < 400 && location !== undefined) {
      const next = new URL(location, url);
      // A redirect to somewhere else says that this one is up (kubelet: success with a warning).
      if (next.hostname !== url.hostname) return { ok: true, message: `Probe terminated redirects` };
      if (redirects >= MAX_REDIRECTS)
        return { ok: false, message: `Get ${JSON.stringify(url.href)}: stopped after 10 redirects` };
      url = next;
      continue;
    }
    const ok = status >= 200 && status < 400;
    return { ok, message: ok ? '' : `HTTP probe failed with statuscode: ${status}` };
  }
}

async function httpGet(
  url: URL,
  headers: NonNullable<HttpGet['httpHeaders']>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const fields: Record<string, string | string[]> = { 'user-agent': 'kube-probe/1.33', accept: '*/*' };
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    const before = key === 'user-agent' || key === 'accept' ? undefined : fields[key];
    fields[key] = before === undefined ? value : [before, value].flat();
  }
  const secure = url.protocol === 'https:';
  // Not by import: the façade of the module loads undici, 16 ms that a cluster without HTTP probes does not need.
  const { request: send } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
  const outgoing = send(url, {
    headers: fields,
    agent: false,
    signal,
    // A probe asks whether the container answers, not who it is (as kubelet).
    ...(secure ? { rejectUnauthorized: false } : {}),
  });
  outgoing.end();
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    // An abort after the head arrived must not become an unhandled error.
    response.on('error', () => {});
    outgoing.on('error', () => {});
    return response;
  } catch (error) {
    const what = `Get ${JSON.stringify(url.href)}: `;
    if (signal.aborted) {
      throw new Error(`${what}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`, {
        cause: error,
      });
    }
    throw new Error(`${what}${dialMessage(url.hostname, Number(url.port), error)}`, { cause: error });
  }
}

async function checkTcp(host: string, port: number, signal: AbortSignal): Promise<CheckOutcome> {
  const socket = connect({ host, port, signal });
  try {
    await once(socket, 'connect');
    return { ok: true, message: '' };
  } catch (error) {
    const message = signal.aborted ? `dial tcp ${host}:${port}: i/o timeout` : dialMessage(host, port, error);
    return { ok: false, message };
  } finally {
    socket.on('error', () => {});
    socket.destroy();
  }
}

const DIAL_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ETIMEDOUT: 'connect: connection timed out',
};

function dialMessage(host: string, port: number, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = DIAL_ERRORS[code];
  const text = known ?? messageOf(error);
  return known === undefined ? text : `dial tcp ${host}:${port}: ${text}`;
}

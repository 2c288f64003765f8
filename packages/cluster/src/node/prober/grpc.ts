import { once } from 'node:events';
import type { Probe } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { CheckOutcome } from './check-outcome.ts';

const PATH = '/grpc.health.v1.Health/Check';
const PREFIX_BYTES = 5;
/** Far more than the answer of a health check has. */
const MAX_ANSWER_BYTES = 64 * 1024;
const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const UNIMPLEMENTED = '12';

/**
 * Asks a server for its health in clear text, as kubelet does. Source: github.com/grpc/grpc, doc/health-checking.md and
 * doc/PROTOCOL-HTTP2.md. Rejects when it cannot connect.
 */
export async function checkGrpc(
  { port, service }: NonNullable<Probe['grpc']>,
  host: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  // Not by import: a cluster without such probes does not need it.
  const { connect } = process.getBuiltinModule('node:http2');
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const session = connect(`http://${address}`);
  const onAbort = (): void => session.destroy(new Error('the check was given up'));
  signal.addEventListener('abort', onAbort, { once: true });
  let isConnected = false;
  try {
    if (signal.aborted) onAbort();
    await once(session, 'connect');
    isConnected = true;
    session.on('error', () => {});
    const stream = session.request({
      ':method': 'POST',
      ':path': PATH,
      'content-type': 'application/grpc',
      'user-agent': 'kube-probe/1.33',
      te: 'trailers',
    });
    stream.end(encodeRequest(service ?? ''));
    let fields: Readonly<Record<string, unknown>> = {};
    const take = (more: object): void => {
      fields = { ...fields, ...more };
    };
    stream.on('response', take).on('trailers', take);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size <= MAX_ANSWER_BYTES) chunks.push(bytes);
    }
    return judge(fields, Buffer.concat(chunks));
  } catch (error) {
    const within = `within ${timeoutMs / 1000}s`;
    const text = messageOf(error);
    if (!isConnected) {
      const why = signal.aborted ? 'context deadline exceeded' : text;
      return {
        ok: false,
        message: `timeout: failed to connect service ${JSON.stringify(address)} ${within}: ${why}`,
      };
    }
    if (signal.aborted) return { ok: false, message: `timeout: health rpc did not complete ${within}` };
    return { ok: false, message: `error: health rpc probe failed: ${text}` };
  } finally {
    signal.removeEventListener('abort', onAbort);
    session.on('error', () => {});
    session.destroy();
  }
}

/** What an answer says; pure. */
function judge(fields: Readonly<Record<string, unknown>>, body: Buffer): CheckOutcome {
  const code = String(fields['grpc-status'] ?? '');
  if (code === UNIMPLEMENTED) {
    const text = String(fields['grpc-message'] ?? '');
    return {
      ok: false,
      message: `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${text}`,
    };
  }
  if (code !== '0') {
    const found =
      code === ''
        ? `HTTP status ${String(fields[':status'])}`
        : `code = ${code} desc = ${String(fields['grpc-message'] ?? '')}`;
    return { ok: false, message: `error: health rpc probe failed: rpc error: ${found}` };
  }
  const status = decodeStatus(body.subarray(PREFIX_BYTES));
  const name = STATUS_NAMES[status] ?? String(status);
  return name === 'SERVING'
    ? { ok: true, message: 'service healthy' }
    : { ok: false, message: `service unhealthy (responded with ${JSON.stringify(name)})` };
}

/** A HealthCheckRequest (`string service = 1`) as one message that is not compressed. */
export function encodeRequest(service: string): Buffer {
  const text = Buffer.from(service);
  const message = text.length === 0 ? text : Buffer.concat([Buffer.from([0x0a]), varint(text.length), text]);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) return Buffer.from(bytes);
  }
}

/** `ServingStatus status = 1` of a HealthCheckResponse; its values are below 128. An empty message has the first. */
function decodeStatus(message: Buffer): number {
  return message[0] === 0x08 ? (message[1] ?? 0) : 0;
}

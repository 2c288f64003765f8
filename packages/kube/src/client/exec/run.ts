import type { Readable } from 'node:stream';
import { ApiError, ConnectionError, ExecError } from '../errors.ts';
import { type ApiRequest, buildExec, describeRequest } from '../request.ts';
import { NO_EXPLANATION } from '../response.ts';
import { type RequestScope, TimeLimitError } from '../scope.ts';
import type { Sender } from '../sender.ts';
import type { ExecCollectOptions, ExecOptions, ExecResult, ExecSession } from '../types.ts';
import { ExecChannels } from './session.ts';

/** Servers before Kubernetes 1.30 know the second only. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;

/** Carries {@link import('../types.ts').KubeClient.exec} out. */
export async function collectExec(sender: Sender, options: ExecCollectOptions): Promise<ExecResult> {
  const { stdin, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES } = options;
  const request = buildExec(options, stdin !== undefined);
  // An older server has no way to get the end of the input: a command that reads it would wait for ever.
  const protocols = stdin === undefined ? PROTOCOLS : PROTOCOLS.slice(0, 1);
  const { socket, scope } = await sender
    .openWebSocket(request, protocols, options)
    .catch((error: unknown) => {
      throw stdin === undefined ? error : explainRefusal(error, request);
    });
  const channels = new ExecChannels(socket);
  const outputs = [channels.stdout, channels.stderr].map((stream) => new KeptOutput(stream, maxOutputBytes));
  if (stdin !== undefined) channels.stdin.end(stdin);
  // The command may end without reading all of its input; the outcome shows it.
  channels.stdin.on('error', () => {});
  const exitCode = await exitOf(sender, request, scope, channels);
  await Promise.all(outputs.map((output) => output.complete));
  const [stdout, stderr] = outputs;
  return {
    stdout: stdout?.text() ?? '',
    stderr: stderr?.text() ?? '',
    exitCode,
    isTruncated: outputs.some((output) => output.isTruncated),
  };
}

/** Servers that do not know the protocol refuse it without a word. */
function explainRefusal(error: unknown, request: ApiRequest): unknown {
  if (!(error instanceof ApiError) || error.status.message !== NO_EXPLANATION) return error;
  const message =
    'the server does not speak v5.channel.k8s.io, so it could not tell the end of stdin (Kubernetes before 1.30); use execStream';
  return new ExecError(describeRequest(request), { ...error.status, message }, { cause: error });
}

/** Carries {@link import('../types.ts').KubeClient.execStream} out. */
export async function streamExec(
  sender: Sender,
  options: ExecOptions & { readonly stdin?: boolean },
): Promise<ExecSession> {
  const request = buildExec(options, options.stdin === true);
  const { socket, scope } = await sender.openWebSocket(request, PROTOCOLS, options);
  scope.lift();
  const channels = new ExecChannels(socket);
  const { stdin, stdout, stderr } = channels;
  const exited = exitOf(sender, request, scope, channels);
  // A caller that only reads the streams need not look at it.
  exited.catch(() => {});
  return {
    stdin,
    stdout,
    stderr,
    canEndStdin: socket.protocol === PROTOCOLS[0],
    exited,
    kill: () => channels.terminate(),
  };
}

/** The exit code; releases the scope. */
async function exitOf(
  sender: Sender,
  request: ApiRequest,
  scope: RequestScope,
  channels: ExecChannels,
): Promise<number> {
  const onAbort = (): void => channels.terminate();
  scope.signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (scope.signal.aborted) onAbort();
    const outcome = await channels.outcome;
    if (outcome !== undefined && 'exitCode' in outcome) return outcome.exitCode;
    if (outcome !== undefined) throw new ExecError(describeRequest(request), outcome.failure);
    const { reason }: { readonly reason?: unknown } = scope.signal;
    const text = describeRequest(request);
    if (reason instanceof TimeLimitError) {
      throw new ConnectionError(
        text,
        `the command did not end within ${reason.timeoutMs} ms; raise timeoutMs`,
      );
    }
    scope.signal.throwIfAborted();
    throw new ConnectionError(
      text,
      'the connection ended before the command did; look whether its container still runs',
    );
  } catch (error) {
    const isExplained = error instanceof ConnectionError || error instanceof ExecError;
    throw isExplained ? error : sender.explain(error, request, scope);
  } finally {
    scope.signal.removeEventListener('abort', onAbort);
    sender.release(scope);
  }
}

/** The beginning of an output; the rest is read and dropped. */
class KeptOutput {
  readonly #pieces: Buffer[] = [];
  /** Resolves when the output has ended. */
  readonly complete: Promise<void>;
  #room: number;
  #isTruncated = false;

  constructor(stream: Readable, limit: number) {
    this.#room = limit;
    this.complete = new Promise((resolve) => {
      stream.once('end', resolve);
    });
    stream.on('data', (piece: Buffer) => {
      const kept = piece.subarray(0, this.#room);
      this.#room -= kept.length;
      if (kept.length > 0) this.#pieces.push(kept);
      if (kept.length < piece.length) this.#isTruncated = true;
    });
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }
}

import { posix } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Clock } from '@turnsole/kube/base/clock';
import type { Container } from '@turnsole/kube/kinds/core';
import type { WebSocket } from 'ws';
import {
  badRequest,
  internalError,
  StatusError,
  tooManyRequests,
  type UpgradeHandler,
  type UpgradeRequest,
  unavailable,
} from '../../apiserver/index.ts';
import { onHost } from '../pod/stand-in-launch.ts';
import { readPorts, readStreamOptions, type StreamOptions, StreamOptionsError } from './options.ts';
import type { RemoteStreams } from './remote-streams.ts';
import { runAttach } from './run-attach.ts';
import { runExec } from './run-exec.ts';
import { acceptSpdy, isSpdy, SPDY_EXEC_PROTOCOLS, SPDY_FORWARD_PROTOCOLS } from './spdy/accept.ts';
import { spdyStreams } from './spdy/exec-streams.ts';
import { forwardSpdy } from './spdy/port-forward.ts';
import { SpdySession } from './spdy/session.ts';
import type { StreamableContainer, StreamablePod, StreamableRuntime } from './streamable-runtime.ts';
import { acceptWebSocket, isWebSocket } from './websocket/accept.ts';
import { webSocketStreams } from './websocket/exec-streams.ts';
import { forwardChannels } from './websocket/port-forward.ts';
import {
  EXEC_PROTOCOLS,
  FORWARD_PROTOCOLS,
  negotiate,
  offeredProtocols,
  TUNNEL_PROTOCOL,
} from './websocket/protocols.ts';
import { openTunnel } from './websocket/tunnel.ts';

/** What the streaming server stands on. */
interface StreamingOptions {
  readonly runtime: Pick<StreamableRuntime, 'find'>;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Clients at a time. @default 256 */
  readonly maxSessions?: number;
}

const DEFAULT_MAX_SESSIONS = 256;
/**
 * Between two pings of a quiet client. While its input is held up the server reads nothing from it, so only
 * writing shows that it has gone.
 */
const KEEP_ALIVE_MS = 10_000;

/** Serves exec, attach and port-forward of the pods that run in this process, over WebSocket and SPDY. */
export class StreamingServer {
  readonly #options: StreamingOptions;
  readonly #maxSessions: number;
  #isClosed = false;
  readonly #sessions = new Map<AbortController, Duplex>();

  constructor(options: StreamingOptions) {
    this.#options = options;
    this.#maxSessions = options.maxSessions ?? DEFAULT_MAX_SESSIONS;
  }

  /** Handler of `pods/exec`. */
  readonly exec: UpgradeHandler = async (request) => {
    const { spec, container, pod } = this.#container(request);
    const words = request.query.getAll('command');
    const command = pod.hasOwnRoot ? words : execCommand(words, spec, pod.rootOf(spec.name));
    await this.#serve(request, (options, streams) => runExec(container.running, command, options, streams));
  };

  /** Handler of `pods/attach`. */
  readonly attach: UpgradeHandler = async (request) => {
    const { spec, container } = this.#container(request);
    const attachable = { ...container, stdinOnce: spec.stdinOnce === true };
    await this.#serve(request, (options, streams) => runAttach(attachable, options, streams));
  };

  /** Handler of `pods/portforward`. */
  readonly portForward: UpgradeHandler = async (request) => {
    const { message, query } = request;
    const pod = this.#pod(request);
    const connect = (port: number, signal: AbortSignal): Promise<Duplex> => pod.connect(port, signal);
    this.#checkRoom();
    if (isSpdy(message)) {
      acceptSpdy(request, SPDY_FORWARD_PROTOCOLS);
      const { spdy, signal } = this.#openSpdy(request);
      await forwardSpdy(spdy, { connect, signal });
      return;
    }
    const offered = this.#offered(request);
    if (offered.includes(TUNNEL_PROTOCOL)) {
      const { socket, signal } = await this.#openWebSocket(request, TUNNEL_PROTOCOL);
      const spdy = new SpdySession(await openTunnel(socket), NOTHING, this.#options.clock);
      await forwardSpdy(spdy, { connect, signal });
      return;
    }
    const protocol = negotiate(offered, FORWARD_PROTOCOLS, [TUNNEL_PROTOCOL]);
    const ports = checked(() => readPorts(query));
    const { socket, signal } = await this.#openWebSocket(request, protocol.name);
    await forwardChannels(socket, protocol, ports, { connect, signal });
  };

  /** Ends all sessions: commands are killed, connections are cut. No new ones are taken. */
  close(): void {
    this.#isClosed = true;
    for (const [session, socket] of this.#sessions) {
      session.abort(new Error('the cluster is closing'));
      socket.destroy();
    }
  }

  /** The container that is meant, which runs. @throws StatusError */
  #container(request: UpgradeRequest): {
    readonly spec: Container;
    readonly container: StreamableContainer;
    readonly pod: StreamablePod;
  } {
    const name = request.container;
    const pod = this.#pod(request);
    const { containers = [], initContainers = [], ephemeralContainers = [] } = request.pod.spec ?? {};
    const spec = [...containers, ...initContainers, ...ephemeralContainers].find(
      (candidate) => candidate.name === name,
    );
    const container = pod.container(name);
    if (spec === undefined || container === undefined) {
      throw internalError(`container not found (${JSON.stringify(name)})`);
    }
    return { spec, container, pod };
  }

  async #serve(
    request: UpgradeRequest,
    run: (options: StreamOptions, streams: RemoteStreams) => Promise<void>,
  ): Promise<void> {
    const { message, query } = request;
    const options = checked(() => readStreamOptions(query));
    this.#checkRoom();
    if (isSpdy(message)) {
      const protocol = acceptSpdy(request, SPDY_EXEC_PROTOCOLS);
      const { spdy, signal } = this.#openSpdy(request);
      const { clock } = this.#options;
      const streams = await spdyStreams(spdy, protocol, options, { signal, clock });
      if (streams !== undefined) await run(options, streams);
      return;
    }
    const protocol = negotiate(this.#offered(request), EXEC_PROTOCOLS);
    const { socket, signal } = await this.#openWebSocket(request, protocol.name);
    await run(options, webSocketStreams(socket, protocol, options, signal));
  }

  #pod({ pod: { metadata } }: UpgradeRequest): StreamablePod {
    const found = this.#options.runtime.find(metadata.uid ?? '');
    if (found !== undefined) return found;
    const name = `${metadata.namespace}/${metadata.name}`;
    throw new StatusError(404, 'NotFound', `pod does not exist: ${name} does not run on its node`);
  }

  #offered({ message }: UpgradeRequest): string[] {
    if (!isWebSocket(message)) {
      const { upgrade = '' } = message.headers;
      throw badRequest(`unable to upgrade: ${JSON.stringify(upgrade)} is neither websocket nor SPDY/3.1`);
    }
    return offeredProtocols(message.headers['sec-websocket-protocol']);
  }

  #checkRoom(): void {
    if (this.#isClosed) throw unavailable('the cluster is closing');
    if (this.#sessions.size < this.#maxSessions) return;
    throw tooManyRequests(`${this.#maxSessions} clients are connected to pods already; try again later`);
  }

  #openSpdy({ socket, head }: UpgradeRequest): { readonly spdy: SpdySession; readonly signal: AbortSignal } {
    const spdy = new SpdySession(socket, head, this.#options.clock);
    return { spdy, signal: this.#open(socket, () => spdy.ping()) };
  }

  async #openWebSocket(
    request: UpgradeRequest,
    protocol: string,
  ): Promise<{ readonly socket: WebSocket; readonly signal: AbortSignal }> {
    const socket = await acceptWebSocket(request, protocol);
    const signal = this.#open(request.socket, () => {
      if (socket.readyState === socket.OPEN) socket.ping();
    });
    return { socket, signal };
  }

  /** Begins a client's session, which ends with its socket: the signal of its end. Until then it is pinged. */
  #open(socket: Duplex, ping: () => void): AbortSignal {
    const controller = new AbortController();
    this.#sessions.set(controller, socket);
    let cancel = (): void => {};
    const keepAlive = (): void => {
      cancel = this.#options.clock.setTimer(
        KEEP_ALIVE_MS,
        () => {
          ping();
          keepAlive();
        },
        { unref: true },
      );
    };
    const onClose = (): void => {
      cancel();
      this.#sessions.delete(controller);
      controller.abort(new Error('the client has gone'));
    };
    if (socket.destroyed) onClose();
    else {
      socket.once('close', onClose);
      keepAlive();
    }
    return controller.signal;
  }
}

const NOTHING = Buffer.alloc(0);

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof StreamOptionsError ? badRequest(error.message, error) : error;
  }
}

/**
 * The command as a container's processes have to be given it; pure. Without a mount namespace, paths below mounts are
 * elsewhere (see {@link onHost}). `tar cf - /mount/file`, as kubectl cp asks for, must still name what it packs as
 * asked: it is packed from the container's root.
 */
export function execCommand(words: readonly string[], container: Container, root: string): readonly string[] {
  const [tar = '', mode, output, path, ...more] = words;
  const isPacking = posix.basename(tar) === 'tar' && mode === 'cf' && output === '-' && more.length === 0;
  if (isPacking && path !== undefined && onHost([path], container, root)[0] !== path) {
    return [tar, mode, output, '-C', root, path.replace(/^\/+/, '')];
  }
  return onHost(words, container, root);
}

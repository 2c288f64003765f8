import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import {
  type ControlFrame,
  type DataPart,
  encodeControl,
  encodeData,
  FLAG_FIN,
  FRAME_TYPES,
  FrameReader,
  RESET_REASONS,
  SpdyError,
  words,
} from './frames.ts';
import { HeaderReader, HeaderWriter } from './header-block.ts';
import { SpdyStream } from './stream.ts';

/** Streams of one client at a time: a hundred connections of a port-forward. */
const MAX_STREAMS = 256;
/** How long a client may take to close after we have. */
const CLOSE_LIMIT_MS = 2_000;

/**
 * The server's end of one SPDY/3.1 connection: accepts the streams that the client opens.
 *
 * A stream whose reader is far behind holds all streams up, as there is no flow control but TCP's: clients of
 * Kubernetes do not have any.
 */
export class SpdySession {
  readonly #socket: Duplex;
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #headers = new HeaderReader();
  readonly #replies = new HeaderWriter();
  readonly #streams = new Map<number, SpdyStream>();
  #lastId = 0;
  #pings = 0;
  #isClosing = false;
  #cancelCut = (): void => {};

  /** @param head bytes that came with the handshake */
  constructor(socket: Duplex, head: Buffer, clock: Pick<Clock, 'setTimer'> = systemClock) {
    this.#socket = socket;
    this.#clock = clock;
    if (head.length > 0) socket.unshift(head);
    socket.on('error', () => {}); // followed by close
  }

  /** Reads until the connection ends; gives each new stream that `accepts` takes to it. Never rejects. */
  async run(accepts: (stream: SpdyStream) => boolean): Promise<void> {
    const reader = new FrameReader();
    try {
      // Kept open on errors: the client gets them.
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        // A stream of bytes without an encoding gives Buffers.
        for (const frame of reader.push(chunk as Buffer)) await this.#handle(frame, accepts);
      }
    } catch (error) {
      if (error instanceof SpdyError) this.#goAway(RESET_REASONS.protocolError);
    }
    this.#headers.close();
    for (const stream of this.#streams.values()) stream.destroy();
    this.#socket.end();
    if (!this.#isClosing) this.#cutLater();
  }

  /** Asks for a sign of life; a connection that is broken is found by it. */
  ping(): void {
    // Pings of servers have even numbers.
    this.#pings += 2;
    this.#send(encodeControl(FRAME_TYPES.ping, 0, words(this.#pings)));
  }

  /** Ends after everything that was written. */
  close(): void {
    if (this.#isClosing) return;
    this.#goAway(0);
    // The server reads and drops what the client still sends, so that it sees the end rather than a broken connection.
    for (const stream of this.#streams.values()) stream.resume();
    this.#socket.end();
    this.#cutLater();
  }

  #cutLater(): void {
    this.#isClosing = true;
    this.#cancelCut = this.#clock.setTimer(CLOSE_LIMIT_MS, () => this.#socket.destroy(), { unref: true });
    this.#socket.once('close', () => this.#cancelCut());
  }

  async #handle(frame: ControlFrame | DataPart, accepts: (stream: SpdyStream) => boolean): Promise<void> {
    if (frame.kind === 'data') {
      await this.#streams.get(frame.streamId)?.receive(frame.data, frame.fin);
      return;
    }
    const { type, flags, payload } = frame;
    switch (type) {
      case FRAME_TYPES.synStream:
        await this.#open(payload, flags, accepts);
        break;
      case FRAME_TYPES.synReply:
      case FRAME_TYPES.headers:
        // Read, because the compression of what follows builds on it.
        await this.#headers.read(payload.subarray(4));
        break;
      case FRAME_TYPES.rstStream:
        this.#streams.get(readId(payload))?.destroy();
        break;
      case FRAME_TYPES.ping:
        if (readId(payload) % 2 === 1) this.#send(encodeControl(FRAME_TYPES.ping, 0, payload));
        break;
      default:
        // GOAWAY is followed by the end; the others are about flow control.
        break;
    }
  }

  async #open(payload: Buffer, flags: number, accepts: (stream: SpdyStream) => boolean): Promise<void> {
    const id = readId(payload);
    const headers = await this.#headers.read(payload.subarray(10));
    if (id % 2 === 0 || id <= this.#lastId) throw new SpdyError(`stream ${id} was not to be expected`);
    this.#lastId = id;
    if (this.#streams.size >= MAX_STREAMS || this.#isClosing) {
      this.#reset(id, RESET_REASONS.refusedStream);
      return;
    }
    const stream = new SpdyStream(id, headers, {
      send: (streamId, data, fin, done) => this.#send(encodeData(streamId, data, fin), done),
      reset: (streamId) => this.#reset(streamId, RESET_REASONS.cancel),
      closed: (streamId) => this.#streams.delete(streamId),
    });
    stream.on('error', () => {});
    this.#streams.set(id, stream);
    if (!accepts(stream)) {
      stream.destroy();
      return;
    }
    this.#send(
      encodeControl(FRAME_TYPES.synReply, 0, Buffer.concat([words(id), this.#replies.write(new Map())])),
    );
    if ((flags & FLAG_FIN) !== 0) await stream.receive(Buffer.alloc(0), true);
  }

  #reset(id: number, reason: number): void {
    this.#send(encodeControl(FRAME_TYPES.rstStream, 0, words(id, reason)));
  }

  #goAway(reason: number): void {
    this.#send(encodeControl(FRAME_TYPES.goAway, 0, words(this.#lastId, reason)));
  }

  /** Calls `done` in any case: a caller that waits for a client that has gone learns it by the client's signal. */
  #send(bytes: Buffer, done: () => void = () => {}): void {
    if (this.#socket.writableEnded || this.#socket.destroyed) done();
    else this.#socket.write(bytes, () => done());
  }
}

function readId(payload: Buffer): number {
  if (payload.length < 4) throw new SpdyError('a control frame is too short');
  return payload.readUInt32BE(0) & 0x7fffffff;
}

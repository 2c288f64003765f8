import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { ClusterConfig } from '@turnsole/kube/client/types';

/** One answer. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * One kept connection to an API server, one request at a time, over TLS with the credentials of a kubeconfig.
 *
 * A plain HTTP/1.1 reader of its own: load is made on the machine that is measured, so it has to cost little beside the
 * server, and the same for every server. Node's client costs four times as much per request.
 */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #head: string;
  readonly #reader: AnswerReader;
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(socket: TLSSocket, head: string) {
    this.#socket = socket;
    this.#head = head;
    this.#reader = new AnswerReader((answer) => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.resolve(answer);
    });
    socket.on('data', (bytes: Buffer) => this.#reader.read(bytes));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')));
  }

  static async open(config: ClusterConfig): Promise<Connection> {
    const { hostname, port, host } = new URL(config.server);
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: config.certificateAuthority,
      cert: config.clientCertificate,
      key: config.clientKey,
      ALPNProtocols: ['http/1.1'],
    });
    socket.setNoDelay(true);
    await once(socket, 'secureConnect');
    const token = await config.token?.();
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
    const agent = 'User-Agent: turnsole-bench\r\nAccept: application/json\r\n';
    return new Connection(socket, `Host: ${host}\r\n${agent}${authorization}`);
  }

  /** Sends a request and resolves to its answer, whatever its status. */
  request(method: string, path: string, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(this.#message(method, path, body));
    });
  }

  /** Opens a stream: passes every piece of its body to `onBytes` as it arrives. Resolves when the head has arrived. */
  async stream(path: string, onBytes: (bytes: Buffer) => void): Promise<void> {
    const opened = new Promise<void>((resolve, reject) => {
      this.#waiting = {
        resolve: ({ status }) => reject(new Error(`${path} was answered ${status}`)),
        reject,
      };
      this.#reader.stream(onBytes, resolve);
    });
    this.#socket.write(this.#message('GET', path, ''));
    await opened;
  }

  close(): void {
    this.#socket.destroy();
  }

  #message(method: string, path: string, body: string): string {
    const head = `${method} ${path} HTTP/1.1\r\n${this.#head}`;
    if (body === '') return `${head}\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Cuts what a server sends into answers. */
class AnswerReader {
  readonly #onAnswer: (answer: Answer) => void;
  #rest: Buffer = Buffer.alloc(0);
  #pieces: Buffer[] = [];
  /** Bytes of the body, or of the chunk, that are still to come. */
  #missing = 0;
  #state: 'head' | 'body' | 'chunk-size' | 'chunk' | 'trailer' = 'head';
  #status = 0;
  #onBytes: ((bytes: Buffer) => void) | undefined;
  #onOpen: (() => void) | undefined;

  constructor(onAnswer: (answer: Answer) => void) {
    this.#onAnswer = onAnswer;
  }

  /** The next successful answer is a stream. */
  stream(onBytes: (bytes: Buffer) => void, onOpen: () => void): void {
    this.#onBytes = onBytes;
    this.#onOpen = onOpen;
  }

  read(bytes: Buffer): void {
    let left = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (let taken = 1; taken > 0 && left.length > 0; left = left.subarray(taken)) taken = this.#take(left);
    this.#rest = left;
  }

  /** Takes what it can from the start of the bytes; returns how much, 0 when more has to come first. */
  #take(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#takeHead(bytes);
      case 'body':
      case 'chunk':
        return this.#takeBody(bytes);
      case 'chunk-size': {
        const end = bytes.indexOf('\r\n');
        if (end === -1) return 0;
        this.#missing = Number.parseInt(bytes.toString('latin1', 0, end), 16);
        this.#state = this.#missing === 0 ? 'trailer' : 'chunk';
        return end + 2;
      }
      case 'trailer': {
        if (bytes.length < 2) return 0;
        // A line end follows each chunk; after the last one, the empty line ends the answer.
        if (this.#missing === 0) this.#finish();
        else this.#state = 'chunk-size';
        return 2;
      }
    }
  }

  #takeHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) return 0;
    const head = bytes.toString('latin1', 0, end);
    this.#status = Number(head.slice(9, 12));
    if (this.#status < 300) this.#onOpen?.();
    else this.#onBytes = undefined;
    this.#onOpen = undefined;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#state = length === undefined ? 'chunk-size' : 'body';
    this.#missing = Number(length ?? 0);
    if (length === '0') this.#finish();
    return end + HEAD_END.length;
  }

  #takeBody(bytes: Buffer): number {
    const piece = bytes.length <= this.#missing ? bytes : bytes.subarray(0, this.#missing);
    this.#missing -= piece.length;
    if (this.#onBytes === undefined) this.#pieces.push(piece);
    else this.#onBytes(piece);
    if (this.#missing === 0) {
      if (this.#state === 'body') this.#finish();
      else {
        this.#state = 'trailer';
        this.#missing = -1;
      }
    }
    return piece.length;
  }

  #finish(): void {
    const [first] = this.#pieces;
    const body = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#state = 'head';
    this.#onAnswer({ status: this.#status, body });
  }
}

import type { Server as HttpServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of an HTTP server, so that it can end. Browsers and API servers open some in stock, and have not used them yet, or are
 * still in the handshake; Node counts neither as idle, and `server.close()` alone would wait until the client closes them: for ever.
 */
export class OpenConnections {
  readonly #server: HttpServer;
  readonly #sockets = new Set<Socket>();
  #underWay = 0;
  #isEnding = false;

  /** @param server HTTP or HTTPS, before it listens */
  constructor(server: HttpServer) {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('request', (_request, response: ServerResponse) => this.#begin(response));
  }

  /** Ends all connections as soon as no request is under way, or when the grace is over. For a server that is about to be closed. */
  end(graceMs: number): void {
    this.#isEnding = true;
    if (this.#underWay === 0) {
      this.#endAll();
      return;
    }
    const timer = setTimeout(() => this.#endAll(), graceMs);
    this.#server.once('close', () => clearTimeout(timer));
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // It came between the end of the others and the end of the listening.
    if (this.#isEnding && this.#underWay === 0) socket.destroy();
  }

  #begin(response: ServerResponse): void {
    this.#underWay += 1;
    response.once('close', () => {
      this.#underWay -= 1;
      if (this.#isEnding && this.#underWay === 0) this.#endAll();
    });
  }

  #endAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Between a page and its server: lets everything through, holds it, has it fail, or cuts the connection. */
import type { BrowserContext, Route, WebSocketRoute } from 'playwright-core';

/** `unwatched`: questions are answered, and subscriptions wait, so that nothing mends itself by one. */
type Mode = 'open' | 'held' | 'failing' | 'unwatched' | 'cut';

/** What a server that has trouble answers. */
const TROUBLE = { error: 'internal', errorDescription: 'the store did not answer' };

/** Subscriptions of which a whole view is made; those of others only say that an answer is to be asked for again. */
const OF_WHOLE_VIEWS = /watchCluster/;

/** A gate for all pages of a context. The page itself always gets through. */
export class Gate {
  #mode: Mode = 'open';
  readonly #asked: (() => void)[] = [];
  readonly #watched: (() => void)[] = [];
  readonly #sockets = new Set<WebSocketRoute>();

  static async of(context: BrowserContext): Promise<Gate> {
    const gate = new Gate();
    await context.route(
      ({ pathname }) => !pathname.startsWith('/ui/'),
      (route) => gate.#answer(route),
    );
    await context.routeWebSocket(/\/query$/, (socket) => gate.#connect(socket));
    return gate;
  }

  turn(mode: Mode): void {
    this.#mode = mode;
    if (mode === 'cut') for (const socket of this.#sockets) void socket.close({ code: 1001, reason: 'cut' });
    if (mode !== 'held') for (const release of this.#asked.splice(0)) release();
    if (mode === 'open') for (const release of this.#watched.splice(0)) release();
  }

  async #answer(route: Route): Promise<void> {
    if (this.#mode === 'held') await new Promise<void>((resolve) => this.#asked.push(resolve));
    const answered =
      this.#mode === 'failing'
        ? route.fulfill({ status: 500, json: TROUBLE })
        : this.#mode === 'cut'
          ? route.abort('connectionreset')
          : route.continue();
    // The page may have gone elsewhere meanwhile.
    await answered.catch(() => undefined);
  }

  #connect(socket: WebSocketRoute): void {
    if (this.#mode === 'cut') {
      void socket.close({ code: 1001, reason: 'cut' });
      return;
    }
    this.#sockets.add(socket);
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const text = String(message);
      const { type, id } = JSON.parse(text) as { readonly type: string; readonly id?: string };
      const isWholeView = OF_WHOLE_VIEWS.test(text);
      if (type !== 'subscribe' || this.#mode === 'open') server.send(message);
      else if (isWholeView && this.#mode === 'unwatched') server.send(message);
      else if (isWholeView && this.#mode === 'failing') {
        const payload = [{ message: TROUBLE.errorDescription, extensions: { code: 'internal' } }];
        socket.send(JSON.stringify({ type: 'error', id, payload }));
      } else this.#watched.push(() => server.send(message));
    });
    socket.onClose((code, reason) => {
      this.#sockets.delete(socket);
      void server.close({ ...(code !== undefined && { code }), ...(reason !== undefined && { reason }) });
    });
  }
}

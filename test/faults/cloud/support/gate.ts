/** A way to a cloud's API that can be narrowed: requests are refused, broken off, or answered with an error before they get there. */
import { request as ask } from 'node:http';
import { startTestServer, type TestServer } from '@turnsole/kube/testing/http-server';

/** What becomes of a request: undefined lets it pass, `cut` breaks the connection off. */
type Verdict = undefined | 'cut' | { readonly status: number; readonly body: string };

/** What a request says, as far as rules look at it. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The gate. */
export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** Decides about each request; passes all at first. */
  rule: (asked: Asked) => Verdict;
  /** Requests that were let through or not, in order: `POST / StopInstances`. */
  readonly log: string[];
}

/** Opens a gate in front of an API. @param nameOf what a request is called in the log */
export async function openGate(to: string, nameOf: (asked: Asked) => string): Promise<Gate> {
  const gate: Gate = {
    url: '',
    rule: () => undefined,
    log: [],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  const server: TestServer = await startTestServer(({ method, url, headers, body }, response) => {
    const asked = { method, url, body, headers };
    gate.log.push(nameOf(asked));
    const verdict = gate.rule(asked);
    if (verdict === 'cut') {
      response.destroy();
      return;
    }
    if (verdict !== undefined) {
      response.writeHead(verdict.status, { 'content-type': 'text/xml' }).end(verdict.body);
      return;
    }
    const passed = ask(`${to}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    passed.end(body);
  });
  return Object.assign(gate, { url: server.url });
}

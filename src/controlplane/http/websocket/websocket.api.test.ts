import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createLogger } from '@turnsole/kube/base/log';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { TestServer } from '../../server/testing/test-server.ts';
import { ACCOUNTS } from '../../store/store.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';

/** A connection, and the frames that it has received and nobody has taken yet. */
class Connection {
  readonly socket: WebSocket;
  readonly #frames: unknown[] = [];
  #arrived: (() => void) | undefined;

  constructor(url: string, protocols?: string[], options?: object) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/query`, protocols, options);
    this.socket.on('message', (data) => {
      this.#frames.push(JSON.parse(data.toString()));
      this.#arrived?.();
    });
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The next frame; for one who waits at a time. */
  async next(): Promise<unknown> {
    const limit = AbortSignal.timeout(PATIENCE_MS);
    while (this.#frames.length === 0) {
      await new Promise<void>((resolve, reject) => {
        this.#arrived = resolve;
        limit.addEventListener('abort', () => reject(new Error(`no frame for ${PATIENCE_MS} ms`)), {
          once: true,
        });
      });
    }
    return this.#frames.shift();
  }
}

const QUERY = { query: '{ __typename }' };

describeOnDatabases('GraphQL over websockets', (database) => {
  test('the legacy protocol, also without a subprotocol, without IDs and without waiting', async () => {
    const server = await TestServer.start(database);
    const connection = new Connection(await server.listen());
    await once(connection.socket, 'open');
    connection.send({ type: 'connection_init' });
    connection.send({ type: 'start', payload: QUERY });

    const frames: unknown[] = [];
    while (frames.length < 4) frames.push(await connection.next());
    assert.deepEqual(frames, [
      {
        type: 'connection_ack',
        payload: { turnsole: { actionResults: true, ownRequests: true, runRecords: true, runLogs: true } },
      },
      { type: 'ka' },
      { type: 'data', payload: { data: { __typename: 'Query' } } },
      { type: 'complete' },
    ]);
    connection.socket.close();
  });

  test('the legacy protocol: the first frame names the caller; a mistake is an error of its operation', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const connection = new Connection(await server.listen(), ['graphql-ws']);
    await once(connection.socket, 'open');
    assert.equal(connection.socket.protocol, 'graphql-ws');
    connection.send({ type: 'connection_init', payload: { Authorization: `Bearer ${owner.token}` } });
    await connection.next();
    await connection.next();

    const query = `{ listEnvironments(projectID: "${p}") { totalNoOfEnvironments } }`;
    connection.send({ type: 'start', id: '1', payload: { query } });
    assert.deepEqual(await connection.next(), {
      ...{ type: 'data', id: '1' },
      payload: { data: { listEnvironments: { totalNoOfEnvironments: 0 } } },
    });
    assert.deepEqual(await connection.next(), { type: 'complete', id: '1' });

    connection.send({ type: 'start', id: '2', payload: { query: '{' } });
    const { type, payload } = (await connection.next()) as { type: string; payload: { message: string }[] };
    assert.equal(type, 'error');
    assert.match(payload[0]?.message ?? '', /Syntax Error/);
    assert.deepEqual(await connection.next(), { type: 'complete', id: '2' });

    for (const [wrong, why] of [
      [undefined, 'payload.query is missing, or no text'],
      [{ query, variables: 'none' }, 'payload.variables is no object'],
    ] as const) {
      connection.send({ type: 'start', id: '3', payload: wrong });
      assert.partialDeepStrictEqual(await connection.next(), {
        ...{ type: 'error', id: '3' },
        payload: [{ message: `the operation could not be begun: ${why}` }],
      });
      assert.deepEqual(await connection.next(), { type: 'complete', id: '3' });
    }
    connection.send({ type: 'dance', id: '4' });
    assert.deepEqual(await connection.next(), {
      ...{ type: 'error', id: '4' },
      payload: [{ message: 'frames of type "dance" are unknown' }],
    });
    connection.send('no JSON');
    const [code] = await once(connection.socket, 'close');
    assert.equal(code, 1003);
  });

  test('the present protocol: queries are answered for the caller of the connection', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const url = `${(await server.listen()).replace('http', 'ws')}/api/query`;
    const ask = async (query: string, token?: string): Promise<unknown> => {
      const connectionParams = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0, connectionParams });
      try {
        for await (const result of client.iterate({ query })) return result;
        return undefined;
      } finally {
        await client.dispose();
      }
    };

    const list = `{ listEnvironments(projectID: "${p}") { totalNoOfEnvironments } }`;
    assert.deepEqual(await ask(list, owner.token), {
      data: { listEnvironments: { totalNoOfEnvironments: 0 } },
    });
    const refused = (await ask(list)) as { errors: { message: string; extensions: unknown }[] };
    assert.deepEqual(
      [refused.errors[0]?.message, refused.errors[0]?.extensions],
      ['invalid Token: none was sent; sign in', { code: 'unauthenticated' }],
    );
  });

  test('by either protocol, an error of the server is told as one and logged, and the connection stays', async () => {
    const lines: string[] = [];
    const logger = createLogger({ component: 'server', level: 'info', write: (line) => lines.push(line) });
    const server = await TestServer.start(database, { logger });
    const owner = await server.user('olga');
    const url = await server.listen();
    await server.plane.store.transaction(ACCOUNTS, ({ db }) =>
      db.schema.alterTable('sessions').renameTo('sessions_elsewhere').execute(),
    );
    for (const [protocol, start] of [
      ['graphql-ws', 'start'],
      ['graphql-transport-ws', 'subscribe'],
    ] as const) {
      const connection = new Connection(url, [protocol]);
      await once(connection.socket, 'open');
      connection.send({ type: 'connection_init', payload: { Authorization: owner.token } });
      assert.equal(((await connection.next()) as { type: string }).type, 'connection_ack');
      for (const id of ['1', '2']) {
        connection.send({ type: start, id, payload: QUERY });
        let frame = (await connection.next()) as { type: string; payload: { message: string }[] };
        while (frame.type !== 'error') frame = (await connection.next()) as typeof frame;
        const [, loggedAs = 'none'] =
          /^internal error; the server's log says more under (\S+)$/.exec(frame.payload[0]?.message ?? '') ??
          [];
        assert.ok(
          lines.some((line) => line.includes(loggedAs)),
          JSON.stringify(frame),
        );
      }
      connection.socket.close();
    }
  });

  test('pages of other origins, other paths and large frames are refused; the server closes with a code when it ends', async () => {
    const server = await TestServer.start(database);
    const url = await server.listen();
    const foreign = new Connection(url, undefined, { origin: 'https://evil.example' });
    const [refusal] = (await once(foreign.socket, 'error')) as [Error];
    assert.match(refusal.message, /403/);
    const elsewhere = new WebSocket(`${url.replace('http', 'ws')}/users`);
    assert.match(((await once(elsewhere, 'error')) as [Error])[0].message, /404/);

    const large = new Connection(url);
    await once(large.socket, 'open');
    large.send(' '.repeat(1024 * 1024 + 1));
    assert.equal((await once(large.socket, 'close'))[0], 1009);

    const open = new Connection(url);
    await once(open.socket, 'open');
    const closed = once(open.socket, 'close');
    await server.stop();
    assert.equal((await closed)[0], 1001);
  });

  test('clients that reset the connection of a refused upgrade do not end the server', async () => {
    const server = await TestServer.start(database);
    const { hostname, port, host } = new URL(await server.listen());
    const upgrade = 'connection: Upgrade\r\nupgrade: websocket\r\n\r\n';
    for (const [refusal, head] of [
      ['404', `GET /users HTTP/1.1\r\nhost: ${host}\r\n`],
      ['403', `GET /query HTTP/1.1\r\nhost: ${host}\r\norigin: https://evil.example\r\n`],
    ] as const) {
      for (let n = 0; n < 10; n += 1) {
        const socket = connect(Number(port), hostname);
        socket.write(head + upgrade);
        const [answered] = (await once(socket, 'data')) as [Buffer];
        assert.match(answered.toString(), new RegExp(`^HTTP/1.1 ${refusal} `));
        socket.resetAndDestroy();
      }
    }
    const later = new Connection(`http://${host}`);
    await once(later.socket, 'open');
    later.socket.close();
  });

  test('floods: of many subscriptions a connection has a hundred; a frame that is too large ends it', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const projectID = await server.project([[owner, 'Owner']]);
    const payload = { query: `subscription { getInfraEvents(projectID: "${projectID}") { eventID } }` };
    const address = await server.listen();
    for (const [protocol, start] of [
      ['graphql-ws', 'start'],
      ['graphql-transport-ws', 'subscribe'],
    ] as const) {
      const connection = new Connection(address, [protocol]);
      await once(connection.socket, 'open');
      connection.send({ type: 'connection_init', payload: { Authorization: owner.token } });
      assert.equal(((await connection.next()) as { type: string }).type, 'connection_ack');
      for (let n = 0; n <= 100; n += 1) connection.send({ type: start, id: `${n}`, payload });
      let frame = (await connection.next()) as { type: string };
      while (frame.type !== 'error') frame = (await connection.next()) as { type: string };
      assert.match(JSON.stringify(frame), /"id":"100".*100 operations are under way/);
      connection.send('x'.repeat(1024 * 1024 + 1));
      const [code] = await once(connection.socket, 'close');
      assert.equal(code, 1009);
    }
    // While it still gives up what the two connections had under way, its database may answer later than a health check waits.
    const isUp = async (): Promise<boolean> => (await server.rest('GET', '/status')).status === 200;
    await until(isUp, 'the server does not recover');
  });
});

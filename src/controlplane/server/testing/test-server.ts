import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { createLogger, type Logger } from '@turnsole/kube/base/log';
import type { FastifyInstance } from 'fastify';
import type { Role } from '../../access/caller.ts';
import type { ControlPlane } from '../../access/context.ts';
import { systemIds } from '../../access/ids.ts';
import { Passwords } from '../../access/passwords.ts';
import { keyHash } from '../../access/secret-box.ts';
import type { ServerSettings } from '../../access/server-settings.ts';
import type { ObservedCluster } from '../../cluster/observed-cluster.ts';
import { readRemoteAccess } from '../../remote/remote-access.ts';
import type { StoreLocation } from '../../store/open.ts';
import { ACCOUNTS, projectScope } from '../../store/store.ts';
import type { TestDatabase } from '../../store/testing/databases.ts';
import { buildServer } from '../build-server.ts';
import { openControlPlane } from '../control-plane.ts';

/** What a GraphQL answer has. */
export interface Answer {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** A user who is signed in. */
export interface TestUser {
  readonly id: string;
  readonly username: string;
  /** For the header `Authorization`. */
  readonly token: string;
}

/** An agent whose registration is confirmed. */
export interface TestAgent {
  readonly infraID: string;
  readonly accessKey: string;
  readonly version: string;
}

/** The server's own take half a second of a processor each, for those who guess. */
const CHEAP_PASSWORDS = new Passwords({ ln: 10, r: 8, p: 1 });
const VERSION = '3.31.0';
const DAY_MS = 86_400_000;

/** How the page is told to reach a watched cluster. */
const TERMINAL = {
  turnsole: 'turnsole',
  variables: '',
  cluster: '--kubeconfig /kc',
  quickstart: '/quickstart',
};

/** A whole server on a database of its own. Its own clients go through HTTP; rows that a test starts from are written directly. */
export class TestServer {
  readonly plane: ControlPlane;
  readonly app: FastifyInstance;
  readonly location: StoreLocation;
  readonly #stop: AbortController;

  private constructor(
    plane: ControlPlane,
    app: FastifyInstance,
    location: StoreLocation,
    stop: AbortController,
  ) {
    this.plane = plane;
    this.app = app;
    this.location = location;
    this.#stop = stop;
  }

  /** The cookie of a browser that is signed in with this token. */
  cookieOf(
    token: string,
    url: string,
  ): { readonly name: string; readonly value: string; readonly url: string } {
    return { name: this.plane.tokens.cookieName, value: token, url };
  }

  /** Ends with the tests of the suite that it was started in. */
  static async start(
    database: TestDatabase,
    options: {
      readonly clock?: Clock;
      readonly settings?: Partial<ServerSettings>;
      /** An earlier server's, to start again on it. */
      readonly location?: StoreLocation;
      readonly secretKey?: Uint8Array;
      /** That the server looks at itself. */
      readonly cluster?: ObservedCluster;
      /** @default writes nothing */
      readonly logger?: Logger;
    } = {},
  ): Promise<TestServer> {
    const stop = new AbortController();
    const dataFolder = mkdtempSync(join(tmpdir(), 'turnsole-server-'));
    const location = options.location ?? (await database.location());
    const plane = await openControlPlane({
      location,
      settings: { ...testSettings(dataFolder), ...options.settings },
      secretKey: options.secretKey ?? randomBytes(32),
      passwords: CHEAP_PASSWORDS,
      clock: options.clock ?? systemClock,
      ids: systemIds,
      logger: options.logger ?? createLogger({ component: 'server', level: 'silent' }),
      signal: stop.signal,
    });
    const app = await buildServer(
      plane,
      options.cluster === undefined ? {} : { cluster: options.cluster, terminal: TERMINAL },
    );
    const server = new TestServer(plane, app, location, stop);
    after(async () => {
      await server.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    });
    return server;
  }

  #stopped: Promise<void> | undefined;

  stop(): Promise<void> {
    this.#stopped ??= (async () => {
      this.#stop.abort(new Error('the test is over'));
      await this.app.close();
      await this.plane.store.close();
    })();
    return this.#stopped;
  }

  /** Listens on a free port of the loopback. @returns its address, without a path */
  listen(): Promise<string> {
    return this.app.listen({ host: '127.0.0.1', port: 0 });
  }

  /** A GraphQL document by POST. */
  async graphql(
    query: string,
    variables: Readonly<Record<string, unknown>> = {},
    caller?: { readonly token: string },
  ): Promise<Answer> {
    const reply = await this.app.inject({
      method: 'POST',
      url: '/query',
      payload: { query, variables },
      headers: caller === undefined ? {} : { authorization: `Bearer ${caller.token}` },
    });
    const { data = null, errors = [] } = reply.json();
    return { status: reply.statusCode, data, errors };
  }

  /** The data of a document that has to succeed. @throws Error with its errors */
  async data(
    query: string,
    variables: Readonly<Record<string, unknown>> = {},
    caller?: { readonly token: string },
  ): Promise<Readonly<Record<string, unknown>>> {
    const { data, errors } = await this.graphql(query, variables, caller);
    if (errors.length > 0 || data === null)
      throw new Error(`refused: ${errors.map(({ message }) => message).join('; ')}`);
    return data;
  }

  /** A REST call. */
  async rest(
    method: 'GET' | 'POST',
    url: string,
    body?: object,
    caller?: { readonly token: string },
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const reply = await this.app.inject({
      method,
      url,
      ...(body !== undefined && { payload: body }),
      headers: caller === undefined ? {} : { authorization: `Bearer ${caller.token}` },
    });
    return { status: reply.statusCode, body: reply.body === '' ? {} : reply.json() };
  }

  /** A user who has signed in. */
  async user(username: string, role: 'admin' | 'user' = 'user'): Promise<TestUser> {
    const { store, tokens, ids } = this.plane;
    const [id, session] = [ids.id(), ids.id()];
    const expiresAt = this.plane.clock.now() + DAY_MS;
    await store.transaction(ACCOUNTS, async ({ db, now }) => {
      const made = { created_at: now, updated_at: now, created_by: 'test', updated_by: 'test' };
      await db
        .insertInto('users')
        .values({
          ...{
            id,
            username,
            name_key: username.toLowerCase(),
            password_hash: null,
            email: '',
            name: username,
            role,
          },
          ...{
            initial_login: 0,
            deactivated_at: null,
            oidc_subject: null,
            ...made,
          },
        })
        .execute();
      await db
        .insertInto('sessions')
        .values({
          ...{ id: session, user_id: id, kind: 'session', name: '', made_from: 'test' },
          ...{ created_at: now, expires_at: expiresAt, last_used_at: now },
        })
        .execute();
    });
    return { id, username, token: await tokens.sign({ uid: id, role, username, session, expiresAt }) };
  }

  /** A project with members. @returns its ID */
  async project(members: readonly (readonly [TestUser, Role])[]): Promise<string> {
    const id = this.plane.ids.id();
    await this.plane.store.transaction(ACCOUNTS, async ({ db, now }) => {
      const made = { created_at: now, updated_at: now, created_by: 'test', updated_by: 'test' };
      await db
        .insertInto('projects')
        .values({ id, name: `project ${id}`, description: '', tags: '[]', ...made, removed: 0 })
        .execute();
      for (const [user, role] of members) {
        await db
          .insertInto('members')
          .values({
            project_id: id,
            user_id: user.id,
            role,
            invitation: 'Accepted',
            invited_at: now,
            joined_at: now,
          })
          .execute();
      }
    });
    return id;
  }

  /** An infrastructure whose agent has confirmed itself; not connected. */
  async agent(project: string, name = 'cluster'): Promise<TestAgent> {
    const { store, ids, secrets } = this.plane;
    const [infraID, accessKey] = [ids.id(), ids.secret(32)];
    await store.transaction(projectScope(project), async ({ db, now }) => {
      await db
        .insertInto('infras')
        .values({
          ...{ id: infraID, project_id: project, environment_id: 'test', name, description: '', tags: '[]' },
          ...{ platform_name: 'Others', scope: 'cluster', namespace: 'litmus', service_account: 'litmus' },
          ...{
            namespace_exists: 1,
            service_account_exists: 1,
            skip_ssl: 0,
            node_selector: '',
            tolerations: '[]',
          },
          ...{ flavour: 'turnsole', sealed_access_key: secrets.seal('access key', accessKey) },
          ...{
            access_key_hash: keyHash(accessKey),
            former_key_hash: null,
            registered: 1,
            confirmed: 1,
            active: 1,
          },
          ...{ connection_id: null, seen_at: now, version: VERSION, start_time: now, removed: 0 },
          ...{ created_at: now, updated_at: now, created_by: 'test', updated_by: 'test' },
        })
        .execute();
    });
    return { infraID, accessKey, version: VERSION };
  }
}

function testSettings(dataFolder: string): ServerSettings {
  return {
    version: VERSION,
    compatibleVersions: [VERSION],
    dataFolder,
    publicUrl: undefined,
    allowedOrigins: [],
    sessionSeconds: DAY_MS / 1000,
    agentCa: undefined,
    // Servers of tests are on the loopback.
    remote: readRemoteAccess({ REMOTE_ALLOWED_ADDRESSES: '127.0.0.1' }),
  };
}

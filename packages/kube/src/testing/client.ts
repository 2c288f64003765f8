import assert from 'node:assert/strict';
import { type ClientOptions, createClient } from '../client/client.ts';
import type { ClusterConfig, KubeClient } from '../client/types.ts';
import { type Answer, startTestServer, type TestServer } from './http-server.ts';

/** A scripted server, a client for it, and the way to end both. */
export interface ClientSetUp extends AsyncDisposable {
  readonly client: KubeClient;
  readonly server: TestServer;
}

/** Starts a scripted server and a client whose jitter is zero. */
export async function setUpClient(
  answer: Answer,
  config: Partial<ClusterConfig> = {},
  options: ClientOptions = {},
): Promise<ClientSetUp> {
  const server = await startTestServer(answer);
  const client = createClient(
    { server: server.url, namespace: 'shop', ...config },
    { random: () => 0, ...options },
  );
  return {
    client,
    server,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The error a promise rejects with; a promise that resolves fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  throw new assert.AssertionError({ message: 'the request did not fail' });
}

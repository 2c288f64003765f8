import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../client/client.ts';
import type { ClusterConfig, KubeClient } from '../client/types.ts';

/** What a test needs of an API server. */
interface StartableServer {
  listen(): Promise<void>;
  readonly adminConfig: ClusterConfig;
  readonly kubeconfigPath: string;
  close(): Promise<void>;
}

/** A running API server and an administrator's client for it. */
export interface TestApi extends AsyncDisposable {
  readonly client: KubeClient;
  readonly server: StartableServer;
}

/**
 * Starts an API server in a folder of its own.
 * @param create the embedded server's factory; tests import it, as this room itself may not
 */
export async function startApi<S extends StartableServer>(
  create: (options: { readonly dataDir: string }) => S,
): Promise<TestApi & { readonly server: S }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'turnsole-api-'));
  const server = create({ dataDir });
  await server.listen();
  const client = createClient(server.adminConfig);
  return {
    client,
    server,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

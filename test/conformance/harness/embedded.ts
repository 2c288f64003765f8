import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { GarbageCollector } from '@turnsole/cluster/controllers/garbage-collector/garbage-collector';
import { NamespaceController } from '@turnsole/cluster/controllers/namespace/namespace-controller';
import { ServiceAccountController } from '@turnsole/cluster/controllers/service-account/service-account-controller';
import { createClusterContext } from '@turnsole/cluster/controllers/shared/cluster-context';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import { createController } from '@turnsole/kube/controllers/controller';
import { Monitors } from '@turnsole/kube/controllers/monitors';
import { connect, type Target } from './exchange.ts';

/** The embedded API server as scenarios see it. */
export interface EmbeddedServer {
  readonly target: Target;
  stop(): Promise<void>;
}

/**
 * Starts the embedded API server with the controllers that ran beside the recorded one: service accounts, namespaces,
 * garbage collection. The others would write to the objects of scenarios at times of their own.
 */
export async function startEmbedded(): Promise<EmbeddedServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-conformance-'));
  const server = createApiServer({ dataDir });
  await server.listen();
  const client = createClient(server.adminConfig);
  const context = createClusterContext({ client });
  const monitors = new Monitors(context);
  const controllers = [
    new ServiceAccountController(context),
    new NamespaceController(context, monitors),
    new GarbageCollector(context, monitors),
  ].map((parts) => createController(context, parts));
  context.informers.start();
  await Promise.all(controllers.map((controller) => controller.start()));
  const target = connect(await loadKubeconfig({ path: server.kubeconfigPath }));
  return {
    target,
    stop: async () => {
      target.close();
      await Promise.all(controllers.map((controller) => controller.stop({ graceMs: 1_000 })));
      monitors.stop();
      await context.informers.stop();
      client.close();
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

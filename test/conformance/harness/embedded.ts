import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, loadKubeconfig } from '../../../src/kube/client/index.ts';
import { silentLogger, systemClock } from '../../../src/kube/runtime/index.ts';
import { createApiServer } from '../../../src/local/apiserver/index.ts';
import { garbageCollector } from '../../../src/local/controllers/garbage-collector/garbage-collector.ts';
import { namespaceController } from '../../../src/local/controllers/namespace/namespace-controller.ts';
import { serviceAccountController } from '../../../src/local/controllers/service-account/service-account-controller.ts';
import { createContext } from '../../../src/local/controllers/shared/context.ts';
import { Monitors } from '../../../src/local/controllers/shared/monitors.ts';
import { compileControllerOptions } from '../../../src/local/controllers/shared/options.ts';
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
  const context = createContext({
    client,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    options: compileControllerOptions({}),
  });
  const monitors = new Monitors(context.client, context.informers);
  const controllers = [
    serviceAccountController(context),
    namespaceController(context, monitors),
    garbageCollector(context, monitors),
  ];
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

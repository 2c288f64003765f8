import type { KubeClient } from '../../kube/client/types.ts';
import {
  type Clock,
  type Controller,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
} from '../../kube/runtime/index.ts';
import { cronJobController } from './cron-job/cron-job-controller.ts';
import { daemonSetController } from './daemon-set/daemon-set-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { disruptionController } from './disruption/disruption-controller.ts';
import { endpointsController } from './endpoints/endpoints-controller.ts';
import { endpointSliceMirrorController } from './endpoints/mirror-controller.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts';
import { jobController } from './job/job-controller.ts';
import { namespaceController } from './namespace/namespace-controller.ts';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.ts';
import { podGcController } from './pod-gc/pod-gc-controller.ts';
import { replicaSetController } from './replica-set/replica-set-controller.ts';
import { furnishNamespaces, serviceAccountController } from './service-account/service-account-controller.ts';
import { type ControllerContext, createContext } from './shared/context.ts';
import type { InformerFactory } from './shared/informers.ts';
import { Monitors } from './shared/monitors.ts';
import { type ControllerOptions, compileControllerOptions } from './shared/options.ts';
import { statefulSetController } from './stateful-set/stateful-set-controller.ts';
import { tokenSecretController } from './token-secret/token-secret-controller.ts';
import { claimController } from './volume/claim-controller.ts';

/** What the controllers need; they reach the cluster through the client and nothing else. */
export interface StartControllersOptions {
  readonly client: KubeClient;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Stops everything when aborted. */
  readonly signal?: AbortSignal;
  readonly options?: ControllerOptions;
  /** Informers shared with others of the process; who made them stops them. @default own ones */
  readonly informers?: InformerFactory;
}

/** Controllers that run. */
export interface RunningControllers {
  /** Ends passes and watches; resolves when nothing is under way any more. Idempotent. */
  stop(): Promise<void>;
}

const CONTROLLERS: readonly ((context: ControllerContext) => Controller)[] = [
  deploymentController,
  replicaSetController,
  statefulSetController,
  daemonSetController,
  jobController,
  cronJobController,
  claimController,
  disruptionController,
  nodeLifecycleController,
  podGcController,
  endpointsController,
  endpointSliceMirrorController,
  serviceAccountController,
  tokenSecretController,
  horizontalPodAutoscalerController,
];

/** Time for passes under way to end. */
const STOP_GRACE_MS = 1_000;

/**
 * Starts every controller of the embedded cluster. Resolves when they work and the present namespaces have what pods need.
 */
export async function startControllers(options: StartControllersOptions): Promise<RunningControllers> {
  const context = createContext({
    client: options.client,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    logger: options.logger ?? silentLogger,
    options: compileControllerOptions(options.options ?? {}),
    ...(options.informers === undefined ? {} : { informers: options.informers }),
  });
  const monitors = new Monitors(context.client, context.informers);
  const controllers = CONTROLLERS.map((create) => create(context));
  // These follow every resource there is. Nobody needs them in the first moments, so nobody waits for them.
  const sweepers = [garbageCollector(context, monitors), namespaceController(context, monitors)];
  const all = [...controllers, ...sweepers];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      await Promise.all(all.map((controller) => controller.stop({ graceMs: STOP_GRACE_MS })));
      monitors.stop();
      if (options.informers === undefined) await context.informers.stop();
      await context.flushEvents();
    })();
    return stopped;
  };
  options.signal?.addEventListener('abort', () => void stop(), { once: true });
  context.informers.start();
  try {
    await Promise.all(controllers.map((controller) => controller.start(options.signal)));
    await furnishNamespaces(context, options.signal ?? new AbortController().signal);
  } catch (error) {
    await stop();
    throw error;
  }
  for (const sweeper of sweepers) {
    sweeper.start(options.signal).catch((error: unknown) => {
      if (stopped === undefined) context.logger.error({ err: error }, 'garbage collection could not start');
    });
  }
  return { stop };
}

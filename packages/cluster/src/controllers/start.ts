import { type ControllerBase, createController } from '@turnsole/kube/controllers/controller';
import { Monitors } from '@turnsole/kube/controllers/monitors';
import { CronJobController } from './cron-job/cron-job-controller.ts';
import { DaemonSetController } from './daemon-set/daemon-set-controller.ts';
import { DeploymentController } from './deployment/deployment-controller.ts';
import { DisruptionController } from './disruption/disruption-controller.ts';
import { EndpointsController } from './endpoints/endpoints-controller.ts';
import { EndpointSliceMirrorController } from './endpoints/mirror-controller.ts';
import { GarbageCollector } from './garbage-collector/garbage-collector.ts';
import { HorizontalPodAutoscalerController } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts';
import { JobController } from './job/job-controller.ts';
import { NamespaceController } from './namespace/namespace-controller.ts';
import { NodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.ts';
import { PodGcController } from './pod-gc/pod-gc-controller.ts';
import { ReplicaSetController } from './replica-set/replica-set-controller.ts';
import { ServiceAccountController } from './service-account/service-account-controller.ts';
import { type ClusterContext, type ClusterParts, createClusterContext } from './shared/cluster-context.ts';
import { StatefulSetController } from './stateful-set/stateful-set-controller.ts';
import { TokenSecretController } from './token-secret/token-secret-controller.ts';
import { ClaimController } from './volume/claim-controller.ts';

/** What the controllers need. */
export interface StartControllersOptions extends ClusterParts {
  /** Stops everything when aborted. */
  readonly signal?: AbortSignal;
}

/** Controllers that run. */
interface RunningControllers {
  /** Ends passes and watches; resolves when nothing is under way any more. Idempotent. */
  stop(): Promise<void>;
}

const CONTROLLERS: readonly (new (context: ClusterContext) => ControllerBase)[] = [
  DeploymentController,
  ReplicaSetController,
  StatefulSetController,
  DaemonSetController,
  JobController,
  CronJobController,
  ClaimController,
  DisruptionController,
  NodeLifecycleController,
  PodGcController,
  EndpointsController,
  EndpointSliceMirrorController,
  TokenSecretController,
  HorizontalPodAutoscalerController,
];

/** Time for passes under way to end. */
const STOP_GRACE_MS = 1_000;

/**
 * Starts every controller of the embedded cluster. Resolves when they work and the present namespaces have what pods need.
 */
export async function startControllers(options: StartControllersOptions): Promise<RunningControllers> {
  const context = createClusterContext(options);
  const monitors = new Monitors(context);
  const accounts = new ServiceAccountController(context);
  const kinds = CONTROLLERS.map((Kind) => new Kind(context));
  const controllers = [...kinds, accounts].map((parts) => createController(context, parts));
  // These follow every resource. They are not needed in the first moments, so the start does not wait for them.
  const sweepers = [new GarbageCollector(context, monitors), new NamespaceController(context, monitors)].map(
    (parts) => createController(context, parts),
  );
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
    await accounts.furnishAll(options.signal ?? new AbortController().signal);
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

/** Workflow controllers in the process of an embedded cluster. */
import type { KubeObject } from '../../api/core.ts';
import { CRON_WORKFLOWS, type Resource, WORKFLOWS } from '../../api/resources.ts';
import type { WorkflowSettings } from '../../components/workflow-controller/settings.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { Informer } from '../../kube/runtime/informer.ts';
import type { Logger } from '../../kube/runtime/log.ts';
import { startYielding } from '../../kube/runtime/yielding.ts';
import type { TraceSender } from '../../process/traces/trace-sender.ts';

/** How controllers are started in this process. */
export interface LocalWorkflowsOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  /** Folder of this cluster for artifacts of workflows that name no store. */
  readonly artifacts: string;
  /** Whether they give way to another workflow controller, Argo's or an installed one. */
  readonly isYielding: boolean;
  /** The command of an image in this cluster: steps whose outputs are read need not name theirs. */
  readonly imageOf: WorkflowSettings['pods']['imageOf'];
  /** Settings of OpenTelemetry. */
  readonly otel: NonNullable<WorkflowSettings['pods']['otel']>;
  readonly traces: TraceSender | undefined;
  /** Ends the first look at the workflows. */
  readonly signal: AbortSignal;
}

interface Work {
  stop(): Promise<void>;
}

/** Label of Argo's and Litmus' controller pods, and of installed ones. */
const CONTROLLER_PODS = 'app=workflow-controller';
const INSTANCE_ID = 'workflows.argoproj.io/controller-instanceid';

/**
 * Runs workflows from the time when the first Workflow or CronWorkflow is there; until then nothing of a controller is loaded. Each
 * instance id gets a controller of its own: no other one of this cluster would serve it.
 */
export async function startLocalWorkflows(options: LocalWorkflowsOptions): Promise<Work> {
  const { logger } = options;
  const controllers = new Map<string, Promise<Work>>();
  const see = ({ metadata }: KubeObject): void => {
    const instanceId = metadata.labels?.[INSTANCE_ID] ?? '';
    if (controllers.has(instanceId)) return;
    const starting = startOne(options, instanceId);
    controllers.set(instanceId, starting);
    starting.catch((err: unknown) => {
      // The next workflow tries again.
      controllers.delete(instanceId);
      logger.error({ err, instanceId }, 'cannot start the workflow controller');
    });
  };
  const informers = [WORKFLOWS, CRON_WORKFLOWS].map((resource) => watchFor(options, resource, see));
  for (const informer of informers) informer.start();
  try {
    await Promise.all(informers.map((informer) => informer.whenSynced(options.signal)));
  } catch (error) {
    await Promise.all(informers.map((informer) => informer.stop()));
    throw error;
  }
  return {
    stop: async () => {
      await Promise.all(informers.map((informer) => informer.stop()));
      const started = await Promise.allSettled(controllers.values());
      await Promise.all(started.map((one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)));
    },
  };
}

function watchFor(
  { client, logger }: LocalWorkflowsOptions,
  resource: Resource,
  see: (object: KubeObject) => void,
): Informer<KubeObject> {
  const informer = new Informer<KubeObject>({ client, logger, resource, transform: onlyIdentity });
  informer.addHandler({ onAdd: see, onUpdate: see });
  return informer;
}

/** Only an object's identity and labels: this watch does not need the copy of a large workflow. */
function onlyIdentity({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  return {
    metadata: { name, namespace, uid, resourceVersion, labels },
  };
}

async function startOne(options: LocalWorkflowsOptions, instanceId: string): Promise<Work> {
  const [{ startWorkflowController }, { defaultSettings }] = await Promise.all([
    import('../../components/workflow-controller/start-workflow-controller.ts'),
    import('../../components/workflow-controller/settings.ts'),
  ]);
  const { client, logger, isYielding, artifacts, imageOf, otel, traces } = options;
  const defaults = defaultSettings('turnsole');
  const settings = {
    ...defaults,
    pods: { ...defaults.pods, imageOf, otel },
    artifactRepository: { volume: { hostPath: { path: artifacts, type: 'DirectoryOrCreate' } } },
    tasks: { mayReachLoopback: true },
  } as const;
  const start = (): Promise<Work> =>
    startWorkflowController({ client, logger, instanceId, traces, settings: () => settings });
  if (!isYielding) return start();
  const leaseName = instanceId === '' ? 'workflow-controller' : `workflow-controller-${instanceId}`;
  return startYielding({ client, logger, leaseName, podSelector: CONTROLLER_PODS, start });
}

/** Workflow controllers in the process of an embedded cluster. */

import type { Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import { withoutNamespaces } from '@turnsole/kube/client/without-namespaces';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { EventRecorder } from '@turnsole/kube/runtime/event-recorder';
import { Informer } from '@turnsole/kube/runtime/informer';
import { startYielding } from '@turnsole/kube/runtime/yielding';
import type { Environment } from '@turnsole/kube/text/environment';
import { controllerLease } from '@turnsole/workflows/kinds/controller-names';
import { LABEL_INSTANCE_ID } from '@turnsole/workflows/kinds/labels';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { nodeTraceEnv } from '../../../chaos/spans/workflow-trace.ts';
import type { WorkflowSettings } from '../../../components/workflow-controller/settings.ts';
import type { WorkflowController } from '../../../components/workflow-controller/start-workflow-controller.ts';
import type { TraceSender } from '../../../process/traces/trace-sender.ts';
import { controllerPods, tellPeers } from '../peers.ts';
import type { LocalConfiguration } from './local-configuration.ts';

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
  readonly otel: Environment;
  readonly traces: TraceSender | undefined;
  /** Gets a sentence for users about what keeps workflows from running. */
  readonly warn: (sentence: string) => void;
  /** Ends the first look at the workflows. */
  readonly signal: AbortSignal;
}

interface Work {
  stop(): Promise<void>;
}

/** The controller of one instance id. */
interface LocalController extends Work {
  readonly configuration: LocalConfiguration;
}

/**
 * Runs workflows from the time when the first Workflow or CronWorkflow is there; until then nothing of a controller is loaded. Each
 * instance id gets a controller of its own: no other one of this cluster would serve it.
 */
export async function startLocalWorkflows(options: LocalWorkflowsOptions): Promise<Work> {
  const { client, logger } = options;
  const controllers = new Map<string, Promise<LocalController>>();
  const recorder = new EventRecorder({ client, component: 'workflow-controller', logger });
  const see = (resource: Resource, object: KubeObject): void => {
    const instanceId = object.metadata.labels?.[LABEL_INSTANCE_ID] ?? '';
    const known = controllers.get(instanceId);
    const starting = known ?? startOne(options, instanceId, recorder);
    controllers.set(instanceId, starting);
    starting.then(
      ({ configuration: { current, refusal } }) => {
        if (current !== undefined || refusal === undefined) return;
        recorder.recordOn(resource, object, {
          type: 'Warning',
          reason: 'ConfigurationRefused',
          message: refusal,
        });
      },
      (err: unknown) => {
        if (known !== undefined) return;
        // The next workflow tries again.
        controllers.delete(instanceId);
        logger.error({ err, instanceId }, 'cannot start the workflow controller');
      },
    );
  };
  const informers = [WORKFLOWS, CRON_WORKFLOWS].map((resource) =>
    watchFor(options, resource, (object) => see(resource, object)),
  );
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
      await recorder.flush();
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

async function startOne(
  options: LocalWorkflowsOptions,
  instanceId: string,
  recorder: EventRecorder,
): Promise<LocalController> {
  const [{ startWorkflowController }, { defaultSettings }, { withConfiguration }, { LocalConfiguration }] =
    await Promise.all([
      import('../../../components/workflow-controller/start-workflow-controller.ts'),
      import('../../../components/workflow-controller/settings.ts'),
      import('../../../components/workflow-controller/configuration/apply-configuration.ts'),
      import('./local-configuration.ts'),
    ]);
  const { client, logger, isYielding, artifacts, imageOf, otel, traces, signal } = options;
  const defaults = defaultSettings('turnsole');
  const base: WorkflowSettings = {
    ...defaults,
    pods: { ...defaults.pods, imageOf, env: (workflow, node) => nodeTraceEnv(workflow, node, otel) },
    artifactRepository: { volume: { hostPath: { path: artifacts, type: 'DirectoryOrCreate' } } },
    tasks: { mayReachLoopback: true },
  };
  let shift: ConfiguredShift | undefined;
  const parts = { client, logger, recorder, warn: options.warn };
  const configuration = new LocalConfiguration(instanceId, parts, () => shift?.configurationChanged());
  const start = async (without: readonly string[]): Promise<Work> => {
    shift = new ConfiguredShift(configuration, logger, () =>
      startWorkflowController({
        client: withoutNamespaces(client, without),
        logger,
        instanceId,
        traces,
        settings: () => withConfiguration(base, configuration.current ?? {}),
      }),
    );
    await shift.start();
    return shift;
  };
  try {
    await configuration.start(signal);
    const what =
      instanceId === '' ? 'workflows without an instance id' : `workflows of instance ${instanceId}`;
    const work = !isYielding
      ? await start([])
      : await startYielding({
          client,
          logger,
          leaseName: controllerLease(instanceId),
          peerPods: controllerPods(client, instanceId),
          onPeer: tellPeers(recorder, logger, { what, who: 'the built-in workflow controller' }),
          start,
        });
    return {
      configuration,
      stop: async () => {
        await configuration.stop();
        await work.stop();
      },
    };
  } catch (error) {
    await configuration.stop();
    throw error;
  }
}

/** A controller that starts once its configuration can be used. */
class ConfiguredShift implements Work {
  readonly #configuration: Pick<LocalConfiguration, 'current'>;
  readonly #logger: Logger;
  readonly #start: () => Promise<WorkflowController>;
  #controller: WorkflowController | undefined;
  #changing: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(
    configuration: Pick<LocalConfiguration, 'current'>,
    logger: Logger,
    start: () => Promise<WorkflowController>,
  ) {
    this.#configuration = configuration;
    this.#logger = logger;
    this.#start = start;
  }

  /** Rejects when the controller cannot start. */
  start(): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      if (this.#hasEnded || this.#configuration.current === undefined) return;
      if (this.#controller !== undefined) this.#controller.settingsChanged();
      else this.#controller = await this.#start();
    });
    return this.#changing;
  }

  configurationChanged(): void {
    this.start().catch((err: unknown) => this.#logger.error({ err }, 'cannot start the workflow controller'));
  }

  async stop(): Promise<void> {
    this.#hasEnded = true;
    await this.#changing.catch(() => {});
    await this.#controller?.stop();
  }
}

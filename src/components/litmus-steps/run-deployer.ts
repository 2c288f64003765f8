/** `litmus-app-deployer` of Litmus' workflows: puts a demonstration application into a namespace, or takes it away. */

import { applyObject } from '@turnsole/kube/apply/apply-object';
import { isAlreadyExists, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { NAMESPACES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import type { Environment } from '@turnsole/kube/text/environment';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { choiceFlag, textFlag, wholeFlag } from '../../process/flags.ts';
import { UsageError } from '../../process/usage-error.ts';
import {
  APPLICATIONS,
  type Application,
  applicationObjects,
  applicationSelector,
  podCount,
  type Strength,
} from './applications.ts';
import { failedStep } from './failed-step.ts';

const NAME = 'litmus-app-deployer';
const DEFAULT_TIMEOUT_SECONDS = 300;

interface DeployerSettings {
  readonly app: Application;
  readonly typeName: Strength;
  readonly operation: 'apply' | 'create' | 'delete';
  readonly scope: 'cluster' | 'namespace';
  readonly namespace: string;
  readonly timeoutMs: number;
}

/**
 * Entry point of `turnsole litmus-app-deployer`.
 *
 * @returns exit code: 0 the application's pods are ready, or gone, or the step was stopped; 1 anything else
 */
export function runDeployer(
  argv: readonly string[],
  env: Environment,
  io: ComponentIo = {},
): Promise<number> {
  const deployer = {
    name: NAME,
    flags: {
      namespace: textFlag('NAME'),
      app: choiceFlag(APPLICATIONS),
      typeName: choiceFlag(['weak', 'resilient'], 'weak'),
      operation: choiceFlag(['apply', 'create', 'delete'], 'apply'),
      scope: choiceFlag(['cluster', 'namespace'], 'cluster'),
      timeout: wholeFlag('SECONDS', DEFAULT_TIMEOUT_SECONDS),
      kubeconfig: textFlag('FILE'),
    },
    settings: ({ app, namespace, timeout, ...flags }: DeployerFlags): DeployerSettings => {
      if (app === undefined)
        throw new UsageError(`flag -app is missing; it is one of ${APPLICATIONS.join(', ')}`);
      if (namespace === undefined) throw new UsageError('flag -namespace is missing');
      return { ...flags, app, namespace, timeoutMs: timeout * 1000 };
    },
    serve,
    failed: failedStep(NAME),
  };
  return runComponent(deployer, argv, env, io);
}

interface DeployerFlags extends Omit<DeployerSettings, 'app' | 'namespace' | 'timeoutMs'> {
  readonly app: Application | undefined;
  readonly namespace: string | undefined;
  /** Seconds. */
  readonly timeout: number;
}

async function serve(context: ComponentContext<DeployerSettings>): Promise<void> {
  const { client, logger, signal, settings } = context;
  const { app, namespace, operation, scope, typeName } = settings;
  const objects = applicationObjects(app, typeName, namespace);
  if (operation === 'delete') {
    for (const { resource, object } of objects.toReversed()) {
      await unless(isNotFound, client.delete(resource, object.metadata.name, { namespace, signal }));
    }
    await awaitPods(context, (pods) => pods.length === 0);
    logger.info(`${app} is gone from namespace ${namespace}`);
    return;
  }
  if (scope === 'cluster') {
    await unless(isAlreadyExists, client.create(NAMESPACES, { metadata: { name: namespace } }, { signal }));
  }
  for (const { resource, object } of objects) {
    if (operation === 'create') await client.create(resource, object, { namespace, signal });
    else await applyObject(client, resource, object, { namespace, signal, fieldManager: NAME });
  }
  const expected = podCount(app, typeName);
  await awaitPods(context, (pods) => pods.filter(isRunning).length >= expected);
  logger.info(`${app} is ready in namespace ${namespace}: stand-ins for its services, not its own images`);
}

async function awaitPods(
  { client, clock, signal, settings }: ComponentContext<DeployerSettings>,
  isDone: (pods: readonly Pod[]) => boolean,
): Promise<void> {
  const { app, namespace, timeoutMs } = settings;
  const labelSelector = applicationSelector(app);
  await waitForList<Pod>(client, PODS, isDone, { namespace, labelSelector, timeoutMs, signal, clock });
}

/** Whether a pod runs and all its containers are ready. */
function isRunning({ metadata, status }: Pod): boolean {
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return (
    !isLeaving &&
    status?.phase === 'Running' &&
    status.containerStatuses?.every(({ ready }) => ready) === true
  );
}

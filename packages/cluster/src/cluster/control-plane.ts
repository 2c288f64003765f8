/** Last stage: controllers, scheduler, definitions and nodes start at once; the cluster is ready when all of them are. */

import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, ServiceAccount } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import type { Clock, Informer } from '@turnsole/kube/runtime/index';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import { equivalentJson } from '@turnsole/kube/text/json';
import { applyMergePatch, type MergePatch } from '@turnsole/kube/text/merge-patch';
import type { UndoStack } from '../base/undo-stack.ts';
import { startControllers } from '../controllers/start.ts';
import type { NodeAgent } from '../node/index.ts';
import { startScheduler } from '../scheduler/start.ts';
import type { Api } from './api.ts';
import type { EmbeddedClusterOptions } from './types.ts';

interface ControlPlaneParts {
  readonly api: Api;
  readonly agents: readonly NodeAgent[];
  readonly options: EmbeddedClusterOptions;
  readonly clock: Clock;
  /** Ends with the cluster. Not the caller's signal: it must not stop a cluster that is relied on. */
  readonly signal: AbortSignal;
}

/** Resolves when the cluster can be used. */
export async function startControlPlane(
  { api, agents, options, clock, signal }: ControlPlaneParts,
  stack: UndoStack,
): Promise<void> {
  const { server, client, informers, authority } = api;
  const { nodeGraceMs, metricsIntervalMs } = options;
  const shared = { client, clock, informers, signal };
  const [controllers, scheduler] = await Promise.all([
    startControllers({
      ...shared,
      // Absent options have defaults.
      options: {
        certificateAuthority: authority,
        ...(nodeGraceMs === undefined ? {} : { nodeGraceMs }),
        ...(metricsIntervalMs === undefined ? {} : { autoscalerPeriodMs: metricsIntervalMs }),
      },
    }),
    startScheduler(shared),
    installDefinitions(client, options.definitions ?? []),
    ...agents.map((agent) => agent.start()),
  ]);
  server.addComponent('controller-manager');
  server.addComponent('scheduler');
  stack.defer(async () => {
    await Promise.all([controllers.stop(), scheduler.stop()]);
  });
  await untilPresent(api.followed.accounts, 'default/default', signal);
}

type PresentDefinition = CustomResourceDefinition & KubeObject;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Makes the definitions that are missing, and brings those that an earlier release made up to date. */
async function installDefinitions(
  client: KubeClient,
  definitions: readonly CustomResourceDefinition[],
): Promise<void> {
  if (definitions.length === 0) return;
  const { items } = await client.list<PresentDefinition>(CUSTOM_RESOURCE_DEFINITIONS);
  const present = new Map(items.map((item) => [item.metadata.name, item]));
  await Promise.all(
    definitions.map(async (definition) => {
      const { name } = definition.metadata;
      const found = present.get(name);
      if (found === undefined) return client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
      const patch = patchOf(definition, found);
      // For a write of a definition the server loads what evaluates expressions, so none is made in vain.
      if (equivalentJson(applyMergePatch(found, patch), found)) return undefined;
      return client.patch(CUSTOM_RESOURCE_DEFINITIONS, name, 'merge', patch);
    }),
  );
}

/** What brings a definition up to date. One that a user has applied since keeps its schema. */
function patchOf(
  { metadata: { annotations }, spec }: CustomResourceDefinition,
  { metadata: { managedFields = [], annotations: known = {} } }: PresentDefinition,
): MergePatch {
  // The one is left by a server-side apply, the other by that of kubectl.
  const isApplied = managedFields.length > 0 || Object.hasOwn(known, LAST_APPLIED);
  return { ...(annotations !== undefined && { metadata: { annotations } }), ...(!isApplied && { spec }) };
}

/** Resolves when the informer knows the object. */
function untilPresent(informer: Informer<ServiceAccount>, key: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      unsubscribe();
      reject(signal.reason);
    };
    let unsubscribe = (): void => {};
    const check = (): void => {
      if (informer.lister.get(key) === undefined) return;
      signal.removeEventListener('abort', onAbort);
      setImmediate(() => unsubscribe());
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    unsubscribe = informer.addHandler({ onAdd: check });
    check();
  });
}

import { type KubeObject, objectKey } from '../../../api/core.ts';
import { RESOURCE_QUOTAS, type Resource } from '../../../api/resources.ts';
import { type Controller, fromObjects, type Source } from '../../../kube/runtime/index.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { BY_NAMESPACE } from '../shared/informers.ts';
import { type Monitors, nameOfResource } from '../shared/monitors.ts';
import type { ResourceQuota } from '../shared/types.ts';
import { quotaStatus } from './decide-quota.ts';

/** Keeps the status of resource quotas: what each namespace uses of what is limited. */
export function quotaController(context: ControllerContext, monitors: Monitors): Controller {
  const { informers, writer } = context;
  const quotas = informers.view<ResourceQuota>(RESOURCE_QUOTAS);
  const quotasOf = (namespace: string) => quotas.byIndex(BY_NAMESPACE, namespace);

  return createController(context, {
    name: 'resource-quota',
    sources: [fromObjects(quotas.informer), fromCounted(monitors, quotasOf)],
    reconcile: async ({ key, namespace = '' }, signal) => {
      const quota = quotas.get(key);
      if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return;
      const resources = new Map(monitors.resources().map((resource) => [nameOfResource(resource), resource]));
      const status = quotaStatus(quota, (name) => {
        const resource = resources.get(name);
        const view = resource === undefined ? undefined : monitors.view(resource);
        return view?.byIndex(BY_NAMESPACE, namespace) ?? [];
      });
      if (equalJson(status, quota.status)) return;
      await writer.updateStatus<ResourceQuota>(RESOURCE_QUOTAS, { ...quota, status }, signal);
    },
  });
}

/** Quotas of a namespace, when something in it comes, goes or changes. */
function fromCounted(monitors: Monitors, quotasOf: (namespace: string) => readonly ResourceQuota[]): Source {
  return {
    subscribe: (enqueue) => {
      const tell = (_resource: Resource, { metadata }: KubeObject): void => {
        for (const quota of quotasOf(metadata.namespace ?? '')) enqueue(objectKey(quota));
      };
      monitors.addHandler({ onAdd: tell, onUpdate: tell, onDelete: tell });
      return () => {};
    },
    whenSynced: (signal) => monitors.whenSynced(signal),
  };
}

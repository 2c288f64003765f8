/** What happens to an application while it is hit: what a user, a release or an autoscaler does. */

import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS } from '@turnsole/kube/kinds/resources';

/** Something that is done to the objects of a row. */
export interface Deed {
  readonly name: string;
  readonly act: (client: KubeClient, namespace: string) => Promise<void>;
}

/** `kubectl scale`. */
export function scaled(application: string, replicas: number): Deed {
  return {
    name: `${application} is scaled to ${replicas}`,
    act: (client, namespace) => patched(client, namespace, application, { replicas }),
  };
}

/** `kubectl rollout restart`. */
export function restarted(application: string): Deed {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': '2030-01-01T00:00:00Z' };
  return {
    name: `${application} is rolled out anew`,
    act: (client, namespace) =>
      patched(client, namespace, application, { template: { metadata: { annotations } } }),
  };
}

/** `kubectl delete pod`: all of them. */
export function podsDeleted(application: string): Deed {
  return {
    name: `the pods of ${application} are deleted`,
    act: async (client, namespace) => {
      const pods = await podsOf(client, namespace, application);
      for (const { metadata } of pods) await client.delete(PODS, metadata.name, { namespace });
    },
  };
}

/** The first process of each container is asked to end, as when an application crashes. */
export function containersEnded(application: string): Deed {
  return {
    name: `the containers of ${application} end`,
    act: async (client, namespace) => {
      const pods = await podsOf(client, namespace, application);
      for (const { metadata } of pods) {
        await client.exec({ namespace, name: metadata.name, command: ['/bin/sh', '-c', 'kill -TERM 1'] });
      }
    },
  };
}

async function podsOf(client: KubeClient, namespace: string, application: string): Promise<readonly Pod[]> {
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector: `app=${application}` });
  return items;
}

async function patched(
  client: KubeClient,
  namespace: string,
  application: string,
  spec: Readonly<Record<string, unknown>>,
): Promise<void> {
  await client.patch<KubeObject>(DEPLOYMENTS, application, 'merge', { spec }, { namespace });
}

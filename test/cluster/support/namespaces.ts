import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { NAMESPACES, PODS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES } from '../../../src/api/index.ts';

/** Namespaces that tests have made carry it. */
export const TEST_NAMESPACE = { 'turnsole.io/test': 'true' } as const;

/** A pod in it may have half a minute to end, and its controller as much again to see that. */
const LIMIT_MS = 180_000;

/** Begins to delete namespaces with everything in them: engines first, so that the operator ends their runs. */
export async function deleteNamespaces(client: KubeClient, names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      await client.deleteCollection(CHAOS_ENGINES, { namespace: name }).catch((error: unknown) => {
        // After uninstalling, there is no such kind.
        if (!isNotFound(error)) throw error;
      });
      await client.delete(NAMESPACES, name);
    }),
  );
}

/** Controllers of older clusters look again at a namespace whose pods are going after minutes only. */
const GONE_LIMIT_MS = 300_000;

/** Deletes the namespaces that tests have left, and resolves when none of any test is there any more. */
export async function testNamespacesGone(client: KubeClient): Promise<void> {
  const labelSelector = Object.entries(TEST_NAMESPACE)
    .map(([key, value]) => `${key}=${value}`)
    .join();
  const { items } = await client.list(NAMESPACES, { labelSelector });
  const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await deleteNamespaces(
    client,
    left.map(({ metadata }) => metadata.name),
  );
  await waitForList(client, NAMESPACES, (found) => found.length === 0, {
    labelSelector,
    timeoutMs: GONE_LIMIT_MS,
  });
}

/** A service account, as far as it says what tokens it has. */
interface Account extends KubeObject {
  readonly secrets?: readonly object[];
}

/** Resolves when pods can be made under an account: Kubernetes before 1.24 refuses them until it has a token in a secret. */
export async function accountReady(client: KubeClient, namespace: string, name = 'default'): Promise<void> {
  const { minor } = await client.raw<{ readonly minor: string }>('GET', '/version');
  const needsSecret = Number.parseInt(minor, 10) < 24;
  const isUsable = (account: Account | undefined): boolean =>
    account !== undefined && (!needsSecret || (account.secrets?.length ?? 0) > 0);
  await waitForObject<Account>(client, SERVICE_ACCOUNTS, name, isUsable, { namespace, timeoutMs: LIMIT_MS });
  if (needsSecret) await podsWelcome(client, namespace, name);
}

/** Admission sees the token a moment later, and nobody tells when. */
async function podsWelcome(client: KubeClient, namespace: string, account: string): Promise<void> {
  const pod: NewObject<Pod> = {
    metadata: { name: 'nobody' },
    spec: { serviceAccountName: account, containers: [{ name: 'main', image: 'none' }] },
  };
  for (const until = performance.now() + LIMIT_MS; ; await delay(50)) {
    try {
      await client.create<Pod>(PODS, pod, { namespace, dryRun: true });
      return;
    } catch (error) {
      const mayPass = error instanceof ApiError && error.status.reason === 'ServerTimeout';
      if (!mayPass || performance.now() > until) throw error;
    }
  }
}

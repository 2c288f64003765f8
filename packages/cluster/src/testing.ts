/** One cluster for many tests, a namespace for each: of any test runner, as no hook of one is used. See the README. */
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Namespace, ServiceAccount } from '@turnsole/kube/kinds/core';
import { NAMESPACES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { accessTo, type ClusterAccess } from './cluster/access.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster/start-cluster.ts';

/** Variable by which processes find the cluster of their parent: the path of its kubeconfig. */
const SHARED = 'TURNSOLE_TEST_CLUSTER';

/**
 * Starts a cluster for all processes that this one starts from now on: for the global setup of a test runner. {@link useCluster} finds it
 * there.
 */
export async function shareCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster(options);
  process.env[SHARED] = cluster.kubeconfig;
  const close: Cluster['close'] = async (closing) => {
    if (process.env[SHARED] === cluster.kubeconfig) delete process.env[SHARED];
    await cluster.close(closing);
  };
  return { ...cluster, close, [Symbol.asyncDispose]: () => close() };
}

/** A namespace of a test. `await using` deletes it. */
export interface TestNamespace extends ClusterAccess, AsyncDisposable {
  readonly name: string;
}

/** A cluster that tests use. */
export interface TestCluster extends ClusterAccess, AsyncDisposable {
  /** A new namespace, with its service account. What is applied and awaited by it is in it, unless something else is said. */
  namespace(): Promise<TestNamespace>;
  /** Closes a cluster that was started for this process alone, when all that use it have closed it; a shared one goes on. Idempotent. */
  close(): Promise<void>;
}

/** The cluster that this process has started, and how many use it. */
let own: { readonly started: Promise<Cluster>; users: number } | undefined;

/**
 * The cluster that {@link shareCluster} has started in a parent, or else one for this process, which all its callers share.
 *
 * @param options of one that is started; the first caller's count
 */
export async function useCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const path = process.env[SHARED];
  if (path !== undefined && path !== '') {
    const client = createClient(await loadKubeconfig({ path }));
    return testCluster(client, path, async () => client.close());
  }
  own ??= { started: startCluster(options), users: 0 };
  const mine = own;
  mine.users += 1;
  const leave = async (): Promise<void> => {
    mine.users -= 1;
    if (mine.users > 0) return;
    if (own === mine) own = undefined;
    await (await mine.started).close({ graceMs: 0 });
  };
  try {
    const { client, kubeconfig } = await mine.started;
    return testCluster(client, kubeconfig, leave);
  } catch (error) {
    if (own === mine) own = undefined;
    throw error;
  }
}

function testCluster(client: KubeClient, kubeconfig: string, leave: () => Promise<void>): TestCluster {
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= leave();
    return closed;
  };
  return {
    ...accessTo(client, kubeconfig, 'default'),
    namespace: () => newNamespace(client, kubeconfig),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function newNamespace(client: KubeClient, kubeconfig: string): Promise<TestNamespace> {
  const { metadata } = await client.create<Namespace>(NAMESPACES, { metadata: { generateName: 'test-' } });
  const { name } = metadata;
  const access = accessTo(client, kubeconfig, name);
  // Without it pods are refused.
  await access.waitFor<ServiceAccount>(SERVICE_ACCOUNTS, 'default', (account) => account !== undefined);
  return {
    ...access,
    name,
    // Its content goes by itself: the next test need not wait for that.
    [Symbol.asyncDispose]: async () => void (await client.delete(NAMESPACES, name)),
  };
}

import { NAMESPACES } from '../../../src/api/index.ts';
import type { KubeClient } from '../../../src/kube/client/types.ts';
import { TEST_NAMESPACE } from './namespaces.ts';

/** The namespace of engines beside that of the installation. */
export function shopOf(namespace: string): string {
  return `${namespace}-shop`;
}

/**
 * What a run of the suite that was cut off has left, and how it goes; undefined where there is nothing. A namespace with the name of the
 * suite's may be somebody's own, and the installation in it may revert what it still has in force: nothing is removed here.
 */
export async function remainsOf(client: KubeClient, namespace: string): Promise<string | undefined> {
  const { items } = await client.list(NAMESPACES);
  const names = items
    .filter(
      ({ metadata }) => isOfSuite(metadata.labels) || [namespace, shopOf(namespace)].includes(metadata.name),
    )
    .map(({ metadata }) => metadata.name);
  if (names.length === 0) return undefined;
  return (
    `the cluster still has ${names.join(', ')}, of a run of this suite that was cut off or goes on; when none goes on, remove that:\n` +
    `  npx turnsole uninstall --namespace ${namespace} --yes\n` +
    `  kubectl delete namespace ${names.join(' ')}`
  );
}

function isOfSuite(labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(TEST_NAMESPACE).every(([key, value]) => labels[key] === value);
}

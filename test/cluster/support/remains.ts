import type { KubeClient } from '@turnsole/kube/client/types';
import { DEPLOYMENTS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { OPERATOR_NAME } from '../../../src/services/install/names.ts';
import { TEST_NAMESPACE } from './namespaces.ts';

/** The namespace of engines beside that of the installation. */
export function shopOf(namespace: string): string {
  return `${namespace}-shop`;
}

/**
 * What a run of the suite that was cut off has left, and how it goes; undefined where there is nothing. A run may go on, and what is installed may
 * have something to revert: nothing is removed here.
 *
 * @param namespace of the installation, which may be there: with a secret to pull images by, for example
 */
export async function remainsOf(client: KubeClient, namespace: string): Promise<string | undefined> {
  const { items } = await client.list(NAMESPACES);
  const isOfSuite = ({ metadata }: (typeof items)[number]): boolean =>
    metadata.name === shopOf(namespace) ||
    Object.entries(TEST_NAMESPACE).every(([key, value]) => metadata.labels?.[key] === value);
  const names = items.filter(isOfSuite).map(({ metadata }) => metadata.name);
  const operator = await client.find(DEPLOYMENTS, OPERATOR_NAME, { namespace });
  const ways = [
    ...(operator === undefined ? [] : [`npx turnsole uninstall --namespace ${namespace} --yes`]),
    ...(names.length === 0 ? [] : [`kubectl delete namespace ${names.join(' ')}`]),
  ];
  if (ways.length === 0) return undefined;
  return `a run of this suite goes on in the cluster, or was cut off; if it was, remove what it has left first:\n${ways.map((way) => `  ${way}\n`).join('')}`;
}

/** Objects that every cluster has from its first moment. */
import { createObject } from './registry/create.ts';
import type { Environment, WriteContext } from './registry/environment.ts';

/** Who the server itself writes as. */
export const SERVER_CONTEXT: WriteContext = {
  user: { name: 'system:apiserver', groups: ['system:masters'] },
  dryRun: false,
  fieldManager: 'kube-apiserver',
  warnings: [],
};

const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

export function createSystemNamespaces(env: Environment): void {
  const kind = env.kinds.find('', 'v1', 'namespaces');
  if (kind === undefined) return;
  for (const name of SYSTEM_NAMESPACES) {
    if (env.store.get(kind.definition.table, '', name) !== undefined) continue;
    createObject(env, kind, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, SERVER_CONTEXT);
  }
}

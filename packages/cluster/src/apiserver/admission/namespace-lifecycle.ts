/** Objects are created only in namespaces that exist and are not being deleted. Source: kubernetes.io, Admission controllers, NamespaceLifecycle. */
import { forbidden, notFound } from '../http/status.ts';
import { asJson } from '../object.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';
import { objectOf } from '../stored-object.ts';

const NAMESPACES = { group: '', plural: 'namespaces' };
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export function admitNamespace(env: ServerParts, attempt: AdmissionAttempt): void {
  const { definition, operation, namespace, name } = attempt;
  const isNamespace = definition.group === '' && definition.plural === 'namespaces';
  if (operation === 'delete' && isNamespace && IMMORTAL.has(name)) {
    throw forbidden(definition, name, 'this namespace may not be deleted');
  }
  if (operation !== 'create' || !definition.namespaced) return;
  const version = env.store.get('namespaces', '', namespace);
  if (version === undefined) throw notFound(NAMESPACES, namespace);
  const found = objectOf(version);
  const isTerminating =
    found.metadata.deletionTimestamp !== undefined || asJson(found.status).phase === 'Terminating';
  if (!isTerminating) return;
  const message = `namespace ${namespace} is being terminated`;
  throw forbidden(
    definition,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
  );
}

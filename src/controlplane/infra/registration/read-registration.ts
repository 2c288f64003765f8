import { Refusal } from '../../access/refusal.ts';
import type { RegisterInfraRequest, Toleration } from '../../schema/generated/types.ts';
import { flag } from '../../store/tables/columns.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import { parseNodeSelector } from './node-selector.ts';

/** Fields of a new infrastructure from a request, in the form of its row. */
type Registered = Pick<
  InfraRow,
  | 'environment_id'
  | 'name'
  | 'description'
  | 'tags'
  | 'platform_name'
  | 'scope'
  | 'namespace'
  | 'service_account'
  | 'namespace_exists'
  | 'service_account_exists'
  | 'skip_ssl'
  | 'node_selector'
  | 'tolerations'
>;

/** Upstream's namespace and service account of an agent. */
const DEFAULT_NAME = 'litmus';

/** Validates a request and adds defaults. Pure. @throws Refusal naming the field */
export function readRegistration(request: RegisterInfraRequest): Registered {
  const { name, infraNamespace, infraNsExists, infraScope, nodeSelector } = request;
  // An empty one is taken, as upstream takes it; upstream's SDK sends it.
  if (name !== '' && name.trim() === '') throw invalid('name', 'name is blank');
  if (infraNsExists === true && !infraNamespace) {
    throw invalid('infraNamespace', 'InfraNamespace parameter is required if InfraNsExists is true');
  }
  if (infraScope !== 'cluster' && infraScope !== 'namespace') {
    throw invalid('infraScope', `infraScope is ${JSON.stringify(infraScope)}; it is cluster or namespace`);
  }
  parseNodeSelector(nodeSelector);
  return {
    environment_id: request.environmentID,
    name,
    description: request.description ?? '',
    tags: JSON.stringify(request.tags ?? []),
    platform_name: request.platformName,
    scope: infraScope,
    namespace: objectName('infraNamespace', infraNamespace),
    service_account: objectName('serviceAccount', request.serviceAccount),
    namespace_exists: flag(infraNsExists),
    service_account_exists: flag(request.infraSaExists),
    skip_ssl: flag(request.skipSsl),
    node_selector: nodeSelector?.trim() ?? '',
    tolerations: JSON.stringify((request.tolerations ?? []).flatMap(tolerationOf)),
  };
}

/** Names become part of manifests, so they must be valid names. */
function objectName(field: string, name: string | null | undefined): string {
  const given = name || DEFAULT_NAME;
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(given)) return given;
  const expected = 'expected lower-case letters, digits and dashes, at most 63';
  throw invalid(field, `${field} ${JSON.stringify(given)}: ${expected}`);
}

/** Leaves out missing fields, as in Kubernetes. */
function tolerationOf(toleration: Toleration | null | undefined): object[] {
  if (toleration === null || toleration === undefined) return [];
  const { key, operator, value, effect, tolerationSeconds } = toleration;
  const given = Object.entries({ key, operator, value, effect, tolerationSeconds });
  return [Object.fromEntries(given.filter(([, part]) => part !== null && part !== undefined && part !== ''))];
}

function invalid(field: string, sentence: string): Refusal {
  return new Refusal('invalid', sentence, { fields: [`request.${field}`] });
}

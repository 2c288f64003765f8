import { CUSTOM_RESOURCES } from '../../../../api/crds.ts';
import { WORKFLOW_DEFINITIONS } from '../../../../api/workflow-definitions.ts';
import type { InstallObject } from '../../install-object.ts';
import { agentConfig } from '../agent-config.ts';
import type { Registration } from '../registration.ts';
import { litmusAccess } from './access-objects.ts';
import { LITMUS_COMPONENTS, litmusComponents } from './component-objects.ts';

/**
 * LitmusChaos' own components for an infrastructure, in the order in which they can be applied: everything of the whole cluster only for an
 * infrastructure of the whole cluster. Pure.
 */
export function litmusObjects(registration: Registration): InstallObject[] {
  const { namespace, namespaceExists, scope } = registration;
  const isCluster = scope === 'cluster';
  const space: InstallObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  return [
    ...(isCluster ? definitions() : []),
    ...(isCluster && !namespaceExists ? [space] : []),
    ...litmusAccess(registration),
    ...agentConfig(registration, LITMUS_COMPONENTS),
    ...litmusComponents(registration),
  ];
}

function definitions(): InstallObject[] {
  const all: readonly object[] = [
    ...CUSTOM_RESOURCES.map(({ definition }) => definition),
    ...WORKFLOW_DEFINITIONS,
  ];
  // A definition has all fields of InstallObject; its type has further ones.
  return all as InstallObject[];
}

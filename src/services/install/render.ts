import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { WORKFLOW_DEFINITIONS } from '../../api/workflow-definitions.ts';
import { controlPlaneObjects } from './control-plane-objects.ts';
import { eventTrackerObjects } from './event-tracker-objects.ts';
import { exporterObjects, monitoringObjects } from './exporter-objects.ts';
import { faultObjects, hasClusterRole, type InstalledFault } from './fault-objects.ts';
import type { InstallObject } from './install-object.ts';
import { DEFINITION_LABELS, labelsOf } from './names.ts';
import { operatorObjects } from './operator-objects.ts';
import { withPlatformMetadata } from './platform-values.ts';
import type { InstallSettings } from './settings.ts';
import { subscriberObjects } from './subscriber-objects.ts';
import { webhookConfiguration, webhookObjects } from './webhook-objects.ts';
import { engineGrants, stepAccounts, workflowObjects } from './workflow-objects.ts';

/** Everything of an installation, in the order in which it can be applied. Pure. */
export function renderInstall(settings: InstallSettings, faults: readonly InstalledFault[]): InstallObject[] {
  const definitions = [
    ...CUSTOM_RESOURCES.map(({ definition }) => definitionOf(definition)),
    ...(settings.workflows ? WORKFLOW_DEFINITIONS.map(definitionOf) : []),
  ];
  const namespaces = namespacesOf(settings).map((name) => namespaceObject(name, settings));
  const objects = [
    ...operatorObjects(settings),
    ...(settings.webhook ? webhookObjects(settings) : []),
    ...(settings.workflows ? workflowObjects(settings) : []),
    ...(settings.controlPlane ? controlPlaneObjects(settings, settings.controlPlane) : []),
    ...(settings.subscriber ? subscriberObjects(settings) : []),
    ...(settings.eventTracker ? eventTrackerObjects(settings) : []),
    ...(settings.exporter ? exporterObjects(settings) : []),
    ...faults.flatMap((fault) => faultObjects(fault, settings)),
    ...(settings.workflows ? litmusAccounts(settings, faults) : []),
    // A cluster without Prometheus' operator does not know them: by then everything else is there.
    ...(settings.serviceMonitor ? monitoringObjects(settings) : []),
    ...(settings.webhook ? [webhookConfiguration(settings)] : []),
  ];
  return [
    ...definitions,
    ...namespaces,
    ...objects.map((one) => withPlatformMetadata(one, settings.platform)),
  ];
}

/** In namespaces with faults, the accounts of Litmus' workflows that use them. */
function litmusAccounts(settings: InstallSettings, faults: readonly InstalledFault[]): InstallObject[] {
  if (faults.length === 0) return [];
  return settings.faultNamespaces.flatMap((namespace) => [
    ...stepAccounts(namespace, settings),
    ...faults.flatMap((fault) =>
      engineGrants(fault.name, hasClusterRole(fault, settings.faultScope), namespace, settings),
    ),
  ]);
}

/** The definitions belong to no installation: several share them. */
function definitionOf(definition: object): InstallObject {
  // A definition has all fields of InstallObject; its type has further ones.
  const object = definition as InstallObject;
  const labels = { ...DEFINITION_LABELS, ...object.metadata.labels };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** Namespaces that the objects stand in, that of the components first. */
function namespacesOf({ namespace, watchNamespace, faults, faultNamespaces }: InstallSettings): string[] {
  const others = faults.length === 0 ? [] : faultNamespaces;
  return [...new Set([namespace, ...(watchNamespace === undefined ? [] : [watchNamespace]), ...others])];
}

function namespaceObject(name: string, settings: InstallSettings): InstallObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: labelsOf(settings, 'namespace') } };
}

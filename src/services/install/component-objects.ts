/** Objects of components beside their Deployment. Pure. */
import type { ObjectMeta, PolicyRule } from '@turnsole/kube/kinds/core';
import { HEALTH_ADDRESS } from './component-deployment.ts';
import { boundRole, type InstallObject, serviceAccount } from './install-object.ts';
import { clusterName, labelsOf, selectorOf } from './names.ts';
import type { InstallSettings } from './settings.ts';

interface Component {
  /** Name of its Deployment. */
  readonly name: string;
  /** Its label. */
  readonly component: string;
}

/** Name, namespace and labels of a component's object. */
export function metadataOf(settings: InstallSettings, { name, component }: Component): ObjectMeta {
  return { name, namespace: settings.namespace, labels: labelsOf(settings, component) };
}

/** The service account of a component, and how roles are bound to it. */
export function accessOf(
  settings: InstallSettings,
  { name, component }: Component,
): {
  readonly account: InstallObject;
  readonly grant: (role: string, place: string | undefined, rules: readonly PolicyRule[]) => InstallObject[];
} {
  const { namespace, pullSecrets } = settings;
  const labels = labelsOf(settings, component);
  return {
    account: serviceAccount(name, namespace, labels, pullSecrets),
    grant: (role, place, rules) => boundRole(role, place, labels, rules, { name, namespace }),
  };
}

/** Name of the role for a component's work: in the watched namespace, or everywhere. */
export function workRole(settings: InstallSettings, { name }: Component): string {
  return settings.watchNamespace === undefined ? clusterName(settings, name) : name;
}

/** Arguments of the components of which one leads. */
export function leaderArgs({ leaderElect }: InstallSettings, metricsPort: number): string[] {
  return [
    `-leader-elect=${leaderElect}`,
    `-metrics-bind-address=:${metricsPort}`,
    `-health-probe-bind-address=${HEALTH_ADDRESS}`,
  ];
}

/** A service with the name of its component. @param more beside it in the metadata */
export function serviceOf(
  settings: InstallSettings,
  component: Component,
  ports: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[],
  more: ObjectMeta | undefined = undefined,
): InstallObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadataOf(settings, component), ...more },
    spec: {
      selector: selectorOf(settings, component.component),
      ports: ports.map(({ name, port, targetPort }) => ({ name, port, protocol: 'TCP', targetPort })),
    },
  };
}

/** The service by which Prometheus finds a component's metrics. */
export function metricsService(settings: InstallSettings, component: Component, port: number): InstallObject {
  return serviceOf(settings, component, [{ name: 'metrics', port, targetPort: 'metrics' }], {
    name: `${component.name}-metrics`,
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port) },
  });
}

/** Nodes are drained one after the other: one of several pods at a time may go. None for a single pod. */
export function disruptionBudgets(settings: InstallSettings, component: Component): InstallObject[] {
  if (settings.replicas <= 1) return [];
  return [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadataOf(settings, component),
      spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(settings, component.component) } },
    },
  ];
}

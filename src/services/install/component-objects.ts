/** Objects of components beside their Deployment. Pure. */
import type { InstallObject } from './install-object.ts';
import { labelsOf, selectorOf } from './names.ts';
import type { InstallSettings } from './settings.ts';

interface Component {
  /** Name of its Deployment. */
  readonly name: string;
  /** Its label. */
  readonly component: string;
}

/** The service by which Prometheus finds a component's metrics. */
export function metricsService(
  settings: InstallSettings,
  { name, component }: Component,
  port: number,
): InstallObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: `${name}-metrics`,
      namespace: settings.namespace,
      labels: labelsOf(settings, component),
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port) },
    },
    spec: {
      selector: selectorOf(settings, component),
      ports: [{ name: 'metrics', port, protocol: 'TCP', targetPort: 'metrics' }],
    },
  };
}

/** Nodes are drained one after the other: one of several pods at a time may go. */
export function disruptionBudget(settings: InstallSettings, { name, component }: Component): InstallObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: settings.namespace, labels: labelsOf(settings, component) },
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(settings, component) } },
  };
}

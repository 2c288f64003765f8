/** The exporter of results, and what Prometheus' operator needs to scrape it and to alert. */

import { HALT_NAMESPACE } from '../../chaos/halt.ts';
import { EXPORTER_HALT_PERMISSIONS, SCOPE_EXPORTER_PERMISSIONS } from '../../chaos/permissions/exporter.ts';
import { ALERT_GROUPS } from './alerts.ts';
import { componentDeployment, HEALTH_ADDRESS, ONE_ARENA } from './component-deployment.ts';
import { accessOf, metadataOf, metricsService, workRole } from './component-objects.ts';
import type { InstallObject } from './install-object.ts';
import { clusterName, EXPORTER_LABELS, EXPORTER_NAME, selectorOf } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = { name: EXPORTER_NAME, component: 'exporter' };
const METRICS_PORT = 8080;
/** Interval of the ServiceMonitor's scrapes, which also sets how long a verdict is 1. */
const SCRAPE_SECONDS = 10;

/** Everything the exporter needs. Pure. */
export function exporterObjects(settings: InstallSettings): InstallObject[] {
  return [...access(settings), deployment(settings), metricsService(settings, COMPONENT, METRICS_PORT)];
}

/** Reads in the watched namespace or everywhere, and in any case the lever of the whole cluster. */
function access(settings: InstallSettings): InstallObject[] {
  const { watchNamespace } = settings;
  const { account, grant } = accessOf(settings, COMPONENT);
  const work = [...SCOPE_EXPORTER_PERMISSIONS, ...EXPORTER_HALT_PERMISSIONS];
  const lever = `${clusterName(settings, EXPORTER_NAME)}-halt`;
  return [
    account,
    ...grant(workRole(settings, COMPONENT), watchNamespace, work),
    ...(watchNamespace === undefined || watchNamespace === HALT_NAMESPACE
      ? []
      : grant(lever, HALT_NAMESPACE, EXPORTER_HALT_PERMISSIONS)),
  ];
}

function deployment(settings: InstallSettings): InstallObject {
  // Each one shows everything, so two of them would show it twice, also for the seconds of a rollout.
  return componentDeployment(
    { ...settings, replicas: 1 },
    {
      ...COMPONENT,
      // By this label Litmus' subscriber finds the exporter.
      labels: EXPORTER_LABELS,
      mayOverlap: false,
      args: [`-metrics-bind-address=:${METRICS_PORT}`, `-health-probe-bind-address=${HEALTH_ADDRESS}`],
      env: [
        { name: 'WATCH_NAMESPACE', value: settings.watchNamespace ?? '' },
        { name: 'TSDB_SCRAPE_INTERVAL', value: String(SCRAPE_SECONDS) },
        ONE_ARENA,
      ],
      port: { name: 'metrics', containerPort: METRICS_PORT },
      resources: { requests: { cpu: '25m', memory: '80Mi' }, limits: { memory: '256Mi' } },
    },
  );
}

/** The label by which many installations of Prometheus' operator select monitors and rules; upstream's monitor has it too. */
const SELECTED = { release: 'prometheus-stack' };

/** Objects for Prometheus' operator: how the exporter is scraped, and the alerts. Pure. */
export function monitoringObjects(settings: InstallSettings): InstallObject[] {
  const { labels, ...named } = metadataOf(settings, COMPONENT);
  const metadata = { ...named, labels: { ...labels, ...SELECTED } };
  return [
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata,
      spec: {
        selector: { matchLabels: selectorOf(settings, COMPONENT.component) },
        endpoints: [{ port: 'metrics', path: '/metrics', interval: `${SCRAPE_SECONDS}s` }],
      },
    },
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata,
      spec: { groups: ALERT_GROUPS },
    },
  ];
}

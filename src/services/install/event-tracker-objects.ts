/** What starts chaos when workloads change. */
import {
  EVENT_TRACKER_OWN_PERMISSIONS,
  EVENT_TRACKER_PERMISSIONS,
} from '../../components/event-tracker/permissions.ts';
import { componentDeployment, HEALTH_ADDRESS } from './component-deployment.ts';
import { disruptionBudget, metricsService } from './component-objects.ts';
import { boundRole, type InstallObject, serviceAccount } from './install-object.ts';
import { clusterName, EVENT_TRACKER_NAME, labelsOf } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = 'event-tracker';
const METRICS_PORT = 8080;

/** Everything the event tracker needs; ConfigMap and Secret of a control plane it reads when a policy needs one. Pure. */
export function eventTrackerObjects(settings: InstallSettings): InstallObject[] {
  const component = { name: EVENT_TRACKER_NAME, component: COMPONENT };
  return [
    ...access(settings),
    deployment(settings),
    metricsService(settings, component, METRICS_PORT),
    ...(settings.replicas > 1 ? [disruptionBudget(settings, component)] : []),
  ];
}

function access(settings: InstallSettings): InstallObject[] {
  const { namespace, watchNamespace } = settings;
  const labels = labelsOf(settings, COMPONENT);
  const account = { name: EVENT_TRACKER_NAME, namespace };
  const watched =
    watchNamespace === undefined ? clusterName(settings, EVENT_TRACKER_NAME) : EVENT_TRACKER_NAME;
  const own = `${EVENT_TRACKER_NAME}-policies`;
  return [
    serviceAccount(EVENT_TRACKER_NAME, namespace, labels, settings.pullSecrets),
    ...boundRole(watched, watchNamespace, labels, EVENT_TRACKER_PERMISSIONS, account),
    ...boundRole(own, namespace, labels, EVENT_TRACKER_OWN_PERMISSIONS, account),
  ];
}

function deployment(settings: InstallSettings): InstallObject {
  const { leaderElect, watchNamespace } = settings;
  return componentDeployment(settings, {
    name: EVENT_TRACKER_NAME,
    component: COMPONENT,
    mayOverlap: leaderElect,
    args: [
      `-leader-elect=${leaderElect}`,
      `-metrics-bind-address=:${METRICS_PORT}`,
      `-health-probe-bind-address=${HEALTH_ADDRESS}`,
    ],
    env: [
      { name: 'INFRA_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'INFRA_SCOPE', value: watchNamespace === undefined ? 'cluster' : 'namespace' },
      ...(watchNamespace === undefined ? [] : [{ name: 'WATCH_NAMESPACE', value: watchNamespace }]),
    ],
    port: { name: 'metrics', containerPort: METRICS_PORT },
    resources: { requests: { cpu: '10m', memory: '80Mi' }, limits: { memory: '256Mi' } },
  });
}

/** What starts chaos when workloads change. */
import {
  EVENT_TRACKER_OWN_PERMISSIONS,
  EVENT_TRACKER_PERMISSIONS,
} from '../../chaos/permissions/event-tracker.ts';
import { componentDeployment } from './component-deployment.ts';
import { accessOf, disruptionBudgets, leaderArgs, metricsService, workRole } from './component-objects.ts';
import type { InstallObject } from './install-object.ts';
import { EVENT_TRACKER_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = { name: EVENT_TRACKER_NAME, component: 'event-tracker' };
const METRICS_PORT = 8080;

/** Everything the event tracker needs; ConfigMap and Secret of a control plane it reads when a policy needs one. Pure. */
export function eventTrackerObjects(settings: InstallSettings): InstallObject[] {
  return [
    ...access(settings),
    deployment(settings),
    metricsService(settings, COMPONENT, METRICS_PORT),
    ...disruptionBudgets(settings, COMPONENT),
  ];
}

function access(settings: InstallSettings): InstallObject[] {
  const { namespace, watchNamespace } = settings;
  const { account, grant } = accessOf(settings, COMPONENT);
  return [
    account,
    ...grant(workRole(settings, COMPONENT), watchNamespace, EVENT_TRACKER_PERMISSIONS),
    ...grant(`${EVENT_TRACKER_NAME}-policies`, namespace, EVENT_TRACKER_OWN_PERMISSIONS),
  ];
}

function deployment(settings: InstallSettings): InstallObject {
  const { leaderElect, watchNamespace } = settings;
  return componentDeployment(settings, {
    ...COMPONENT,
    mayOverlap: leaderElect,
    args: leaderArgs(settings, METRICS_PORT),
    env: [
      { name: 'INFRA_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'INFRA_SCOPE', value: watchNamespace === undefined ? 'cluster' : 'namespace' },
      ...(watchNamespace === undefined ? [] : [{ name: 'WATCH_NAMESPACE', value: watchNamespace }]),
    ],
    port: { name: 'metrics', containerPort: METRICS_PORT },
    resources: { requests: { cpu: '10m', memory: '80Mi' }, limits: { memory: '256Mi' } },
  });
}

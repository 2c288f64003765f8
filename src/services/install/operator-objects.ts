import { HALT_NAMESPACE } from '../../chaos/halt.ts';
import {
  OPERATOR_HALT_PERMISSIONS,
  OPERATOR_OWN_PERMISSIONS,
  OPERATOR_PERMISSIONS,
} from '../../chaos/permissions/operator.ts';
import { componentDeployment, tracesEnv } from './component-deployment.ts';
import { accessOf, disruptionBudgets, leaderArgs, metricsService, workRole } from './component-objects.ts';
import type { InstallObject } from './install-object.ts';
import { clusterName, OPERATOR_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = { name: OPERATOR_NAME, component: 'operator' };
const METRICS_PORT = 8080;
/** An operator ends when the passes under way have ended; none waits for anything but the API server. */
const GRACE_SECONDS = 30;

/** Everything the operator needs. Pure. */
export function operatorObjects(settings: InstallSettings): InstallObject[] {
  return [
    ...operatorAccess(settings),
    operatorDeployment(settings),
    metricsService(settings, COMPONENT, METRICS_PORT),
    ...disruptionBudgets(settings, COMPONENT),
  ];
}

/** Roles: in the watched namespace or everywhere, and the lease in its own. */
function operatorAccess(settings: InstallSettings): InstallObject[] {
  const { namespace, watchNamespace } = settings;
  const { account, grant } = accessOf(settings, COMPONENT);
  const work = [...OPERATOR_PERMISSIONS, ...OPERATOR_HALT_PERMISSIONS];
  const lever = `${clusterName(settings, OPERATOR_NAME)}-halt`;
  return [
    account,
    ...grant(workRole(settings, COMPONENT), watchNamespace, work),
    ...grant(`${OPERATOR_NAME}-leader`, namespace, OPERATOR_OWN_PERMISSIONS),
    ...(watchNamespace === undefined || watchNamespace === HALT_NAMESPACE
      ? []
      : grant(lever, HALT_NAMESPACE, OPERATOR_HALT_PERMISSIONS)),
  ];
}

function operatorDeployment(settings: InstallSettings): InstallObject {
  const { leaderElect, image, pullPolicy, watchNamespace } = settings;
  return componentDeployment(settings, {
    ...COMPONENT,
    // Only when one of them leads.
    mayOverlap: leaderElect,
    graceSeconds: GRACE_SECONDS,
    args: leaderArgs(settings, METRICS_PORT),
    env: [
      { name: 'WATCH_NAMESPACE', value: watchNamespace ?? '' },
      { name: 'TURNSOLE_IMAGE', value: image },
      { name: 'TURNSOLE_IMAGE_PULL_POLICY', value: pullPolicy },
      ...tracesEnv(settings),
    ],
    port: { name: 'metrics', containerPort: METRICS_PORT },
    // With 10,000 engines it needs less than 150 MB; no CPU limit, so that an abort is never throttled.
    resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '384Mi' } },
  });
}

import { HALT_NAMESPACE } from '../../chaos/halt.ts';
import {
  OPERATOR_HALT_PERMISSIONS,
  OPERATOR_OWN_PERMISSIONS,
  OPERATOR_PERMISSIONS,
} from '../../components/operator/permissions.ts';
import { componentDeployment, HEALTH_ADDRESS, tracesEnv } from './component-deployment.ts';
import { disruptionBudget, metricsService } from './component-objects.ts';
import { boundRole, type InstallObject, serviceAccount } from './install-object.ts';
import { clusterName, labelsOf, OPERATOR_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = 'operator';
const METRICS_PORT = 8080;
/** An operator ends when the passes under way have ended; none waits for anything but the API server. */
const GRACE_SECONDS = 30;

/** Everything the operator needs. Pure. */
export function operatorObjects(settings: InstallSettings): InstallObject[] {
  return [
    ...operatorAccess(settings),
    operatorDeployment(settings),
    metricsService(settings, { name: OPERATOR_NAME, component: COMPONENT }, METRICS_PORT),
    ...(settings.replicas > 1
      ? [disruptionBudget(settings, { name: OPERATOR_NAME, component: COMPONENT })]
      : []),
  ];
}

/** Roles: in the watched namespace or everywhere, and the lease in its own. */
function operatorAccess(settings: InstallSettings): InstallObject[] {
  const { namespace, watchNamespace } = settings;
  const labels = labelsOf(settings, COMPONENT);
  const account = { name: OPERATOR_NAME, namespace };
  const own = `${OPERATOR_NAME}-leader`;
  const lever = `${clusterName(settings, OPERATOR_NAME)}-halt`;
  const work = watchNamespace === undefined ? clusterName(settings, OPERATOR_NAME) : OPERATOR_NAME;
  return [
    serviceAccount(OPERATOR_NAME, namespace, labels, settings.pullSecrets),
    ...boundRole(
      work,
      watchNamespace,
      labels,
      [...OPERATOR_PERMISSIONS, ...OPERATOR_HALT_PERMISSIONS],
      account,
    ),
    ...boundRole(own, namespace, labels, OPERATOR_OWN_PERMISSIONS, account),
    ...(watchNamespace === undefined || watchNamespace === HALT_NAMESPACE
      ? []
      : boundRole(lever, HALT_NAMESPACE, labels, OPERATOR_HALT_PERMISSIONS, account)),
  ];
}

function operatorDeployment(settings: InstallSettings): InstallObject {
  const { leaderElect, image, pullPolicy, watchNamespace } = settings;
  return componentDeployment(settings, {
    name: OPERATOR_NAME,
    component: COMPONENT,
    // Only when one of them leads.
    mayOverlap: leaderElect,
    graceSeconds: GRACE_SECONDS,
    args: [
      `-leader-elect=${leaderElect}`,
      `-metrics-bind-address=:${METRICS_PORT}`,
      `-health-probe-bind-address=${HEALTH_ADDRESS}`,
    ],
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

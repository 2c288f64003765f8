/** What connects the cluster to a control plane of LitmusChaos. */
import { HALT_NAMESPACE } from '../../chaos/halt.ts';
import {
  SUBSCRIBER_CLUSTER_PERMISSIONS,
  SUBSCRIBER_HALT_PERMISSIONS,
  SUBSCRIBER_OWN_PERMISSIONS,
  SUBSCRIBER_PERMISSIONS,
} from '../../components/subscriber/permissions.ts';
import { componentDeployment, HEALTH_ADDRESS, ONE_ARENA } from './component-deployment.ts';
import { disruptionBudget, metricsService } from './component-objects.ts';
import { boundRole, type InstallObject, serviceAccount } from './install-object.ts';
import { clusterName, labelsOf, SUBSCRIBER_LABELS, SUBSCRIBER_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = 'subscriber';
const METRICS_PORT = 8080;
/** At the end it delivers events for 10 s, and needs a little more for work under way. */
const GRACE_SECONDS = 30;
const SPOOL_FOLDER = '/var/spool/turnsole';
/** Twice its default limit, and some more while the file is written anew. */
const SPOOL_SIZE = '256Mi';

/** Everything the subscriber needs, but the ConfigMap and the Secret, which the control plane's manifest of the infrastructure holds. Pure. */
export function subscriberObjects(settings: InstallSettings): InstallObject[] {
  const component = { name: SUBSCRIBER_NAME, component: COMPONENT };
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
  const account = { name: SUBSCRIBER_NAME, namespace };
  const rules =
    watchNamespace === undefined
      ? [...SUBSCRIBER_PERMISSIONS, ...SUBSCRIBER_CLUSTER_PERMISSIONS]
      : SUBSCRIBER_PERMISSIONS;
  const runs = watchNamespace === undefined ? clusterName(settings, SUBSCRIBER_NAME) : SUBSCRIBER_NAME;
  const own = `${SUBSCRIBER_NAME}-infrastructure`;
  // Several installations have theirs in one namespace.
  const lever = `${clusterName(settings, SUBSCRIBER_NAME)}-halt`;
  return [
    serviceAccount(SUBSCRIBER_NAME, namespace, labels, settings.pullSecrets),
    ...boundRole(runs, watchNamespace, labels, rules, account),
    ...boundRole(own, namespace, labels, SUBSCRIBER_OWN_PERMISSIONS, account),
    ...boundRole(lever, watchNamespace ?? HALT_NAMESPACE, labels, SUBSCRIBER_HALT_PERMISSIONS, account),
  ];
}

function deployment(settings: InstallSettings): InstallObject {
  const { leaderElect } = settings;
  return componentDeployment(settings, {
    name: SUBSCRIBER_NAME,
    component: COMPONENT,
    // By this label the control plane removes the agent.
    labels: SUBSCRIBER_LABELS,
    mayOverlap: leaderElect,
    graceSeconds: GRACE_SECONDS,
    args: [
      `-leader-elect=${leaderElect}`,
      `-metrics-bind-address=:${METRICS_PORT}`,
      `-health-probe-bind-address=${HEALTH_ADDRESS}`,
    ],
    env: [
      { name: 'INFRA_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'SPOOL_DIR', value: SPOOL_FOLDER },
      ONE_ARENA,
    ],
    envFrom: [{ configMapRef: { name: 'subscriber-config' } }, { secretRef: { name: 'subscriber-secret' } }],
    folder: { name: 'spool', path: SPOOL_FOLDER, sizeLimit: SPOOL_SIZE },
    port: { name: 'metrics', containerPort: METRICS_PORT },
    resources: { requests: { cpu: '25m', memory: '80Mi' }, limits: { memory: '256Mi' } },
  });
}

import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../api/agent-objects.ts';
/** What connects the cluster to a control plane of LitmusChaos. */
import { HALT_NAMESPACE } from '../../chaos/halt.ts';
import {
  SUBSCRIBER_CLUSTER_PERMISSIONS,
  SUBSCRIBER_HALT_PERMISSIONS,
  SUBSCRIBER_OWN_PERMISSIONS,
  SUBSCRIBER_PERMISSIONS,
} from '../../chaos/permissions/subscriber.ts';
import { componentDeployment, ONE_ARENA } from './component-deployment.ts';
import { accessOf, disruptionBudgets, leaderArgs, metricsService, workRole } from './component-objects.ts';
import type { InstallObject } from './install-object.ts';
import { clusterName, SUBSCRIBER_LABELS, SUBSCRIBER_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = { name: SUBSCRIBER_NAME, component: 'subscriber' };
const METRICS_PORT = 8080;
/** At the end it delivers events for 10 s, and needs a little more for work under way. */
const GRACE_SECONDS = 30;
const SPOOL_FOLDER = '/var/spool/turnsole';
/** Twice its default limit, and some more while the file is written anew. */
const SPOOL_SIZE = '256Mi';

/** Everything the subscriber needs, but the ConfigMap and the Secret, which the control plane's manifest of the infrastructure holds. Pure. */
export function subscriberObjects(settings: InstallSettings): InstallObject[] {
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
  const rules =
    watchNamespace === undefined
      ? [...SUBSCRIBER_PERMISSIONS, ...SUBSCRIBER_CLUSTER_PERMISSIONS]
      : SUBSCRIBER_PERMISSIONS;
  // Several installations have theirs in one namespace.
  const lever = `${clusterName(settings, SUBSCRIBER_NAME)}-halt`;
  return [
    account,
    ...grant(workRole(settings, COMPONENT), watchNamespace, rules),
    ...grant(`${SUBSCRIBER_NAME}-infrastructure`, namespace, SUBSCRIBER_OWN_PERMISSIONS),
    ...grant(lever, watchNamespace ?? HALT_NAMESPACE, SUBSCRIBER_HALT_PERMISSIONS),
  ];
}

function deployment(settings: InstallSettings): InstallObject {
  return componentDeployment(settings, {
    ...COMPONENT,
    // By this label the control plane removes the agent.
    labels: SUBSCRIBER_LABELS,
    mayOverlap: settings.leaderElect,
    graceSeconds: GRACE_SECONDS,
    args: leaderArgs(settings, METRICS_PORT),
    env: [
      { name: 'INFRA_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'SPOOL_DIR', value: SPOOL_FOLDER },
      ONE_ARENA,
    ],
    envFrom: [{ configMapRef: { name: AGENT_CONFIG_MAP } }, { secretRef: { name: AGENT_SECRET } }],
    folder: { name: 'spool', path: SPOOL_FOLDER, sizeLimit: SPOOL_SIZE },
    port: { name: 'metrics', containerPort: METRICS_PORT },
    resources: { requests: { cpu: '25m', memory: '80Mi' }, limits: { memory: '256Mi' } },
  });
}

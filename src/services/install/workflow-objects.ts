/** The workflow controller, and the accounts of the steps of Litmus' workflows. */
import type { PolicyRule } from '@turnsole/kube/kinds/core';
import {
  WORKFLOW_CONTROLLER_CLUSTER_PERMISSIONS,
  WORKFLOW_CONTROLLER_OWN_PERMISSIONS,
  WORKFLOW_CONTROLLER_PERMISSIONS,
} from '../../chaos/permissions/workflow-controller.ts';
import { componentDeployment, HEALTH_ADDRESS, tracesEnv } from './component-deployment.ts';
import { accessOf, disruptionBudgets, metricsService } from './component-objects.ts';
import { faultAccount } from './fault-objects.ts';
import { boundRole, type InstallObject, role, roleBinding, serviceAccount } from './install-object.ts';
import { CONTROLLER_LABELS, clusterName, labelsOf, WORKFLOW_CONTROLLER_NAME } from './names.ts';
import type { InstallSettings } from './settings.ts';

const COMPONENT = { name: WORKFLOW_CONTROLLER_NAME, component: 'workflow-controller' };
/** The metrics port of Argo's and Litmus' controllers. */
const METRICS_PORT = 9090;
const GRACE_SECONDS = 30;

/** Everything the workflow controller needs. Pure. */
export function workflowObjects(settings: InstallSettings): InstallObject[] {
  return [
    ...controllerAccess(settings),
    ...(settings.watchNamespace === undefined ? aggregatedRoles(settings) : []),
    controllerDeployment(settings),
    metricsService(settings, COMPONENT, METRICS_PORT),
    ...disruptionBudgets(settings, COMPONENT),
  ];
}

function controllerAccess(settings: InstallSettings): InstallObject[] {
  const { namespace, watchNamespace } = settings;
  const { account, grant } = accessOf(settings, COMPONENT);
  const everywhere = clusterName(settings, WORKFLOW_CONTROLLER_NAME);
  const own = `${WORKFLOW_CONTROLLER_NAME}-leader`;
  return [
    account,
    ...(watchNamespace === undefined
      ? grant(everywhere, undefined, [
          ...WORKFLOW_CONTROLLER_PERMISSIONS,
          ...WORKFLOW_CONTROLLER_CLUSTER_PERMISSIONS,
        ])
      : // For one namespace nothing of the whole cluster is granted; templates of the cluster are not there then.
        grant(WORKFLOW_CONTROLLER_NAME, watchNamespace, WORKFLOW_CONTROLLER_PERMISSIONS)),
    ...grant(own, namespace, WORKFLOW_CONTROLLER_OWN_PERMISSIONS),
  ];
}

function controllerDeployment(settings: InstallSettings): InstallObject {
  const { leaderElect, image, pullPolicy, watchNamespace, instanceId = '' } = settings;
  return componentDeployment(settings, {
    ...COMPONENT,
    // By this label Litmus' subscriber finds the controller, and other controllers see that one exists.
    labels: CONTROLLER_LABELS,
    mayOverlap: leaderElect,
    graceSeconds: GRACE_SECONDS,
    args: [
      `-leader-elect=${leaderElect}`,
      `-instanceid=${instanceId}`,
      ...(watchNamespace === undefined ? [] : [`-managed-namespace=${watchNamespace}`]),
      `-metrics-bind-address=:${METRICS_PORT}`,
      `-health-probe-bind-address=${HEALTH_ADDRESS}`,
    ],
    env: [
      { name: 'TURNSOLE_IMAGE', value: image },
      { name: 'TURNSOLE_IMAGE_PULL_POLICY', value: pullPolicy },
      ...tracesEnv(settings),
    ],
    port: { name: 'metrics', containerPort: METRICS_PORT },
    resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '512Mi' } },
  });
}

/** The kinds that people work with; these have no subresource for the status. */
const PEOPLES_KINDS = [
  'workflows',
  'workfloweventbindings',
  'workflowtemplates',
  'cronworkflows',
  'clusterworkflowtemplates',
].flatMap((plural) => [plural, `${plural}/finalizers`]);

const READ = ['get', 'list', 'watch'] as const;
const WRITE = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** People who may view, edit or administer a namespace may do so with its workflows, as with Argo's own roles. */
function aggregatedRoles(settings: InstallSettings): InstallObject[] {
  const verbs = { view: READ, edit: WRITE, admin: WRITE } as const;
  return Object.entries(verbs).map(([to, allowed]) => {
    const labels = {
      ...labelsOf(settings, COMPONENT.component),
      [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true',
    };
    const rules = [{ apiGroups: ['argoproj.io'], resources: PEOPLES_KINDS, verbs: [...allowed] }];
    return role(clusterName(settings, `turnsole-workflows-${to}`), undefined, labels, rules);
  });
}

/** The account that Litmus' workflows give their steps. */
export const STEPS_ACCOUNT = 'argo-chaos';
/** The account that engines of these workflows name as `chaosServiceAccount`. */
export const ENGINES_ACCOUNT = 'litmus-admin';

/** What steps do: install faults, run an engine and wait for it, clean up; and report to their controller how they ended. */
const STEPS_PERMISSIONS: readonly PolicyRule[] = [
  {
    apiGroups: ['litmuschaos.io'],
    resources: ['chaosengines', 'chaosexperiments', 'chaosresults'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete', 'deletecollection'],
  },
  { apiGroups: ['argoproj.io'], resources: ['workflowtaskresults'], verbs: ['create', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
];

/** Accounts of Litmus' workflows in one namespace with faults. Pure. */
export function stepAccounts(namespace: string, settings: InstallSettings): InstallObject[] {
  const labels = labelsOf(settings, COMPONENT.component);
  return [
    serviceAccount(STEPS_ACCOUNT, namespace, labels, settings.pullSecrets),
    ...boundRole(STEPS_ACCOUNT, namespace, labels, STEPS_PERMISSIONS, { name: STEPS_ACCOUNT, namespace }),
    serviceAccount(ENGINES_ACCOUNT, namespace, labels, settings.pullSecrets),
  ];
}

/**
 * Gives the accounts of Litmus' workflows what the account of a fault may: that of engines uses it, and that of steps has to have what
 * the engines do that it creates, or the webhook refuses them. Pure.
 */
export function engineGrants(
  fault: string,
  hasClusterRole: boolean,
  namespace: string,
  settings: InstallSettings,
): InstallObject[] {
  const labels = labelsOf(settings, COMPONENT.component);
  const name = faultAccount(fault);
  const both = (of: string, place: string | undefined): InstallObject[] =>
    [ENGINES_ACCOUNT, STEPS_ACCOUNT].map((account) =>
      roleBinding(of, place, labels, { name: account, namespace }, `${of}-${account}`),
    );
  return [
    ...both(name, namespace),
    ...(hasClusterRole ? both(clusterName(settings, `${name}-${namespace}`), undefined) : []),
  ];
}

import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { InstallSettings } from './settings.ts';

/** Name of the operator's Deployment, service account, roles and service. */
export const OPERATOR_NAME = 'turnsole-operator';
/** Name of the workflow controller's objects; not Argo's, so that neither takes the other's place. */
export const WORKFLOW_CONTROLLER_NAME = 'turnsole-workflow-controller';
/** The label by which workflow controllers of Argo and Litmus are found. */
export const CONTROLLER_LABELS: Readonly<Record<string, string>> = { app: 'workflow-controller' };
/** Name of the subscriber's objects; not Litmus', so that neither takes the other's place. */
export const SUBSCRIBER_NAME = 'turnsole-subscriber';
/** The label by which LitmusChaos' control plane removes an agent. */
export const SUBSCRIBER_LABELS: Readonly<Record<string, string>> = { app: 'subscriber' };
/** Name of the event tracker's objects; not Litmus', so that neither takes the other's place. */
export const EVENT_TRACKER_NAME = 'turnsole-event-tracker';
/** Name of the exporter's objects; not Litmus', so that neither takes the other's place. */
export const EXPORTER_NAME = 'turnsole-exporter';
/** The label by which LitmusChaos' subscriber finds the exporter of its infrastructure. */
export const EXPORTER_LABELS: Readonly<Record<string, string>> = { app: 'chaos-exporter' };
/** Name of the control plane's objects, the claim of its data included. */
export const CONTROL_PLANE_NAME = 'turnsole-control-plane';
/** The Secret with the key that the control plane seals secrets with. */
export const CONTROL_PLANE_KEY_SECRET = `${CONTROL_PLANE_NAME}-key`;
/** Name of the webhook's objects. */
export const WEBHOOK_NAME = 'turnsole-webhook';

/** Label with the namespace of the installation that an object belongs to; how uninstalling finds it. */
export const LABEL_INSTALLATION = 'turnsole.io/installation';
/** Label with the component that an object belongs to. */
export const LABEL_COMPONENT = 'app.kubernetes.io/component';
/** Label with the fault that an object was made for. */
export const LABEL_FAULT = 'turnsole.io/fault';

/** Labels of every object of an installation. */
export function labelsOf(
  settings: Pick<InstallSettings, 'namespace'>,
  component: string,
): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'turnsole',
    [LABEL_COMPONENT]: component,
    'app.kubernetes.io/part-of': 'litmus',
    'app.kubernetes.io/managed-by': 'turnsole',
    [LABEL_INSTALLATION]: settings.namespace,
  };
}

/** Labels of the definitions of the chaos kinds. */
export const DEFINITION_LABELS: Readonly<Record<string, string>> = {
  'app.kubernetes.io/part-of': 'litmus',
  'app.kubernetes.io/managed-by': 'turnsole',
};

/** Whether a definition was made by an installation: definitions of Argo's kinds may be Argo's. */
export function isOwnDefinition({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  const label = 'app.kubernetes.io/managed-by';
  return metadata.labels?.[label] === DEFINITION_LABELS[label];
}

/** Labels by which a component's pods are selected; a Deployment's selector cannot be changed later. */
export function selectorOf(
  settings: Pick<InstallSettings, 'namespace'>,
  component: string,
): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'turnsole',
    [LABEL_COMPONENT]: component,
    [LABEL_INSTALLATION]: settings.namespace,
  };
}

/** Name of a cluster-scoped object: several installations, each for one namespace, may share a cluster. */
export function clusterName(settings: Pick<InstallSettings, 'namespace'>, name: string): string {
  return `${name}-${settings.namespace}`;
}

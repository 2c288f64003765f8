import type { InstallSettings } from './settings.ts';

/** Name of the operator's Deployment, service account, roles and service. */
export const OPERATOR_NAME = 'turnsole-operator';
/** Name of the webhook's objects. */
export const WEBHOOK_NAME = 'turnsole-webhook';

/** Label with the namespace of the installation that an object belongs to; how uninstalling finds it. */
export const LABEL_INSTALLATION = 'turnsole.io/installation';
/** Label with the fault that an object was made for. */
export const LABEL_FAULT = 'turnsole.io/fault';

/** Labels of every object of an installation. */
export function labelsOf(
  settings: Pick<InstallSettings, 'namespace'>,
  component: string,
): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'turnsole',
    'app.kubernetes.io/component': component,
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

/** Labels by which a component's pods are selected; a Deployment's selector cannot be changed later. */
export function selectorOf(
  settings: Pick<InstallSettings, 'namespace'>,
  component: string,
): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'turnsole',
    'app.kubernetes.io/component': component,
    [LABEL_INSTALLATION]: settings.namespace,
  };
}

/** Name of a cluster-scoped object: several installations, each for one namespace, may share a cluster. */
export function clusterName(settings: Pick<InstallSettings, 'namespace'>, name: string): string {
  return `${name}-${settings.namespace}`;
}

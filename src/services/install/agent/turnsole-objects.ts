import type { PolicyRule } from '@turnsole/kube/kinds/core';
import { boundRole, type InstallObject, roleBinding } from '../install-object.ts';
import {
  CONTROLLER_LABELS,
  clusterName,
  EXPORTER_LABELS,
  labelsOf,
  SUBSCRIBER_NAME,
  selectorOf,
} from '../names.ts';
import { renderInstall } from '../render.ts';
import { compileInstallSettings, type InstallSettings } from '../settings.ts';
import { ENGINES_ACCOUNT, STEPS_ACCOUNT, stepAccounts } from '../workflow-objects.ts';
import { agentConfig } from './agent-config.ts';
import type { FaultRights } from './fault-rights.ts';
import rights from './generated/fault-rights.json' with { type: 'json' };
import type { Registration } from './registration.ts';

/**
 * Our components for an infrastructure, in the order in which they can be applied. For a namespace, cluster-wide objects are left out,
 * definitions included: the cluster's administrator has made those before, by `turnsole install`. Pure.
 */
export function turnsoleObjects(registration: Registration): InstallObject[] {
  const settings = settingsOf(registration);
  const objects = [
    ...renderInstall(settings, []),
    ...stepAccounts(settings.namespace, settings),
    ...faultGrants(settings, rights[registration.scope]),
    ...agentConfig(registration, componentsOf(settings)),
  ];
  const { namespace, scope, namespaceExists } = registration;
  if (scope === 'namespace') return objects.filter(({ metadata }) => metadata.namespace === namespace);
  return namespaceExists ? objects.filter(({ kind }) => kind !== 'Namespace') : objects;
}

/**
 * The namespace of experiments of a whole cluster, and the accounts that they name, without components: for a cluster whose agent and controllers are in
 * other processes. Pure.
 */
export function experimentAccounts(namespace: string, version: string): InstallObject[] {
  const { settings } = compileInstallSettings({ namespace }, { version, faults: [] });
  const space: InstallObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  return [space, ...stepAccounts(namespace, settings), ...faultGrants(settings, rights.cluster)];
}

function settingsOf({ namespace, scope, infraID, image, version }: Registration): InstallSettings {
  const options = {
    ...{ namespace, image, exporter: true, subscriber: true, instanceId: infraID },
    ...(scope === 'namespace' && { watchNamespace: namespace }),
  };
  return compileInstallSettings(options, { version, faults: [] }).settings;
}

function componentsOf(settings: InstallSettings): string[] {
  const text = (labels: Readonly<Record<string, string>>): string =>
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
  return [text(CONTROLLER_LABELS), text(EXPORTER_LABELS), text(selectorOf(settings, 'operator'))];
}

/**
 * Engines of an infrastructure may run any fault. The accounts that make engines need the rights of the faults, or the webhook refuses the
 * engines: the account of workflow steps, and that of the agent, which makes engines that are experiments by themselves.
 */
function faultGrants(settings: InstallSettings, { local, cluster }: FaultRights): InstallObject[] {
  const { namespace } = settings;
  const labels = labelsOf(settings, 'workflow-controller');
  const grant = (name: string, place: string | undefined, rules: readonly PolicyRule[]): InstallObject[] => {
    const makers = [STEPS_ACCOUNT, SUBSCRIBER_NAME].map((account) =>
      roleBinding(name, place, labels, { name: account, namespace }, `${name}-${account}`),
    );
    return [...boundRole(name, place, labels, rules, { name: ENGINES_ACCOUNT, namespace }), ...makers];
  };
  return [
    ...grant(ENGINES_ACCOUNT, namespace, local),
    ...(cluster.length === 0 ? [] : grant(clusterName(settings, ENGINES_ACCOUNT), undefined, cluster)),
  ];
}

import { boundRole, type InstallObject } from '../install-object.ts';
import { STEPS_ACCOUNT } from '../workflow-objects.ts';

/** Namespace of the sample's application. */
const NAMESPACE = 'default';

/**
 * What the steps of the sample experiment may do besides: make the application that it hits. For embedded clusters, which begin empty and have the images of it.
 * Pure.
 *
 * @param namespace of the experiments
 */
export function sampleRights(namespace: string): InstallObject[] {
  const account = { name: STEPS_ACCOUNT, namespace };
  return boundRole('turnsole-sample', NAMESPACE, {}, RULES, account);
}

const RULES = [
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'create'] },
  { apiGroups: [''], resources: ['services'], verbs: ['create'] },
];

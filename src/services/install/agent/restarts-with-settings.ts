import { createHash } from 'node:crypto';
import type { PodTemplateSpec } from '@turnsole/kube/kinds/core';
import { AGENT_CONFIG_MAP } from '../../../api/agent-objects.ts';
import type { InstallObject } from '../install-object.ts';
import type { Registration } from './registration.ts';

/** Annotation of pods with a hash of the settings that they read when they start. */
const SETTINGS_ANNOTATION = 'turnsole.io/settings';

/**
 * A Deployment whose pods are replaced when the settings of the agent change that they read as environment: without that, an agent goes on asking
 * the former address of the server. The key and whether it is confirmed are left out, since the agent changes these itself. Other objects as they
 * are. Pure.
 */
export function restartsWithSettings(object: InstallObject, registration: Registration): InstallObject {
  if (object.kind !== 'Deployment' || !JSON.stringify(object.spec).includes(`"${AGENT_CONFIG_MAP}"`)) {
    return object;
  }
  const { serverAddress, scope, version, skipSsl, ca = '', startTime } = registration;
  const settings = JSON.stringify([serverAddress, scope, version, skipSsl, ca, startTime]);
  const hash = createHash('sha256').update(settings).digest('hex').slice(0, 16);
  // Made by this folder's neighbours, each with a template.
  const spec = object.spec as { readonly template: PodTemplateSpec };
  const metadata = spec.template.metadata;
  const annotations = { ...metadata?.annotations, [SETTINGS_ANNOTATION]: hash };
  const template = { ...spec.template, metadata: { ...metadata, annotations } };
  return { ...object, spec: { ...spec, template } };
}

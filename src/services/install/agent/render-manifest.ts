import { createHash } from 'node:crypto';
import type { PodTemplateSpec } from '@turnsole/kube/kinds/core';
import { stringify } from 'yaml';
import { AGENT_CONFIG_MAP } from '../../../api/agent-objects.ts';
import type { InstallObject } from '../install-object.ts';
import { agentSecret } from './agent-config.ts';
import { litmusObjects } from './litmus/litmus-objects.ts';
import type { Registration } from './registration.ts';
import { turnsoleObjects } from './turnsole-objects.ts';

/** Definitions are the same in each manifest, and most of its text: they are written once in the life of the process. */
const definitions = new Map<string, string>();

/**
 * The manifest of an infrastructure: YAML that `kubectl apply -f` takes as it is.
 *
 * @param flavour which components it installs: ours, or LitmusChaos' own
 */
export function renderManifest(registration: Registration, flavour: 'turnsole' | 'litmus'): string {
  const objects = flavour === 'litmus' ? litmusObjects(registration) : turnsoleObjects(registration);
  return objects
    .map((object) => documentOf(restartsWithSettings(onNodes(object, registration), registration)))
    .join('---\n');
}

/** The Secret of an infrastructure's agent alone, as the manifest has it: YAML. */
export function renderSecret(registration: Registration): string {
  return textOf(agentSecret(registration));
}

function documentOf(object: InstallObject): string {
  if (object.kind !== 'CustomResourceDefinition') return textOf(object);
  const key = JSON.stringify(object.metadata);
  const text = definitions.get(key) ?? textOf(object);
  definitions.set(key, text);
  return text;
}

function textOf(object: InstallObject): string {
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** A Deployment whose pods run where the registration lets them; other objects as they are. Pure. */
function onNodes(
  object: InstallObject,
  { nodeSelector, tolerations }: Pick<Registration, 'nodeSelector' | 'tolerations'>,
): InstallObject {
  if (object.kind !== 'Deployment') return object;
  // Made by this folder's neighbours, each with a template.
  const spec = object.spec as { readonly template: PodTemplateSpec };
  const place = {
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations.length > 0 && { tolerations: [...tolerations] }),
  };
  const template = { ...spec.template, spec: { ...spec.template.spec, ...place } };
  return { ...object, spec: { ...spec, template } };
}

/** Annotation of pods with a hash of the settings that they read when they start. */
const SETTINGS_ANNOTATION = 'turnsole.io/settings';

/**
 * A Deployment whose pods are replaced when the settings of the agent change that they read as environment: without that, an agent goes on asking
 * the former address of the server. The key and whether it is confirmed are left out, since the agent changes these itself. Other objects as they
 * are. Pure.
 */
function restartsWithSettings(object: InstallObject, registration: Registration): InstallObject {
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

import { stringify } from 'yaml';
import type { InstallObject } from '../install-object.ts';
import { agentSecret } from './agent-config.ts';
import { litmusObjects } from './litmus/litmus-objects.ts';
import { onNodes } from './on-nodes.ts';
import type { Registration } from './registration.ts';
import { restartsWithSettings } from './restarts-with-settings.ts';
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

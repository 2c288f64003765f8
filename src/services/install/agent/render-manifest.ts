import { stringify } from 'yaml';
import type { InstallObject } from '../install-object.ts';
import { onNodes } from './on-nodes.ts';
import type { Registration } from './registration.ts';
import { turnsoleObjects } from './turnsole-objects.ts';

/** Definitions are the same in each manifest, and most of its text: they are written once in the life of the process. */
const definitions = new Map<string, string>();

/** The manifest of an infrastructure: YAML that `kubectl apply -f` takes as it is. */
export function renderManifest(registration: Registration): string {
  return turnsoleObjects(registration)
    .map((object) => documentOf(onNodes(object, registration)))
    .join('---\n');
}

function documentOf(object: InstallObject): string {
  if (object.kind !== 'CustomResourceDefinition') return textOf(object);
  const { name } = object.metadata;
  const text = definitions.get(name) ?? textOf(object);
  definitions.set(name, text);
  return text;
}

function textOf(object: InstallObject): string {
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
}

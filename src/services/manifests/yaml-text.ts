import { stringify } from 'yaml';

/** A document of YAML, with nothing left to references. Pure. */
export function yamlText(data: unknown): string {
  return stringify(data, { lineWidth: 120, aliasDuplicateObjects: false });
}

/** Objects for `kubectl apply`. Pure. */
export function objectsText(objects: readonly object[], format: 'yaml' | 'json'): string {
  return format === 'json'
    ? JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects }, null, 2)
    : objects.map(yamlText).join('---\n').trimEnd();
}

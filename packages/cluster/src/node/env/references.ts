import type { ConfigMap, Secret } from '@turnsole/kube/kinds/core';

/** Where values of config maps and secrets come from. Both give undefined when the object does not exist. */
export interface ReferenceSource {
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
}

/** A container or volume refers to a missing object. The message is kubelet's. */
export class MissingReferenceError extends Error {
  override readonly name = 'MissingReferenceError';
}

/** Data of a config map by key: text, or bytes of binaryData; pure. */
export function configMapData(object: ConfigMap): Map<string, Buffer> {
  const data = new Map<string, Buffer>();
  for (const [key, text] of Object.entries(object.data ?? {})) data.set(key, Buffer.from(text));
  for (const [key, base64] of Object.entries(object.binaryData ?? {}))
    data.set(key, Buffer.from(base64, 'base64'));
  return data;
}

/** Data of a secret by key; pure. */
export function secretData(object: Secret): Map<string, Buffer> {
  const data = new Map<string, Buffer>();
  for (const [key, base64] of Object.entries(object.data ?? {})) data.set(key, Buffer.from(base64, 'base64'));
  return data;
}

import { isObject } from '@turnsole/kube/text/json';

/** A key of a Secret that a location names: `accessKeySecret: {name, key}`. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** Every Secret in a location, however deep, each once. Pure. */
export function secretsIn(value: unknown): SecretKey[] {
  const found = new Map<string, SecretKey>();
  collect(value, '', found);
  return [...found.values()];
}

/** Fields that name a Secret: `usernameSecret`, `clientIDSecret`; of headers `secretKeyRef`. */
const FIELD = /(?:Secret|secretKeyRef)$/;

/** Reads a reference to a Secret; undefined when it is none. */
export function secretKey(value: unknown): SecretKey | undefined {
  if (!isObject(value)) return undefined;
  const { name, key } = value;
  return typeof name === 'string' && name !== '' && typeof key === 'string' ? { name, key } : undefined;
}

function collect(value: unknown, field: string, found: Map<string, SecretKey>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, field, found);
    return;
  }
  if (!isObject(value)) return;
  const secret = FIELD.test(field) ? secretKey(value) : undefined;
  if (secret !== undefined) found.set(`${secret.name}/${secret.key}`, secret);
  else for (const [name, inner] of Object.entries(value)) collect(inner, name, found);
}

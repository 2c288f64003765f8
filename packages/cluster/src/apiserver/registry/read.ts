import type { Version } from '../../store/index.ts';
import { notFound } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { ServerParts } from './environment.ts';

/** The present version of an object; throws NotFound. */
export function readVersion(
  env: ServerParts,
  definition: KindDefinition,
  namespace: string,
  name: string,
): Version {
  const found = env.store.get(definition.table, namespace, name);
  if (found === undefined) throw notFound(definition, name);
  return found;
}

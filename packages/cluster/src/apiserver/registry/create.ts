import { generateName } from '@turnsole/kube/text/generated-name';
import { alreadyExists, badRequest, invalid } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { objectOf } from '../stored-object.ts';
import { warningsOf } from '../validation/warnings.ts';
import type { ServerParts, WriteContext } from './environment.ts';
import { initialiseMetadata, validateMetadata } from './metadata.ts';
import { trackOwnership } from './ownership.ts';
import { completeAtOnce, type PendingWrite } from './pending-write.ts';
import type { ServedKind } from './registry.ts';

/** A write's outcome: the object as stored (or, for a dry run, as it would be). */
export interface Written {
  readonly object: ApiObject;
  readonly created: boolean;
}

/** After this many taken names something is wrong with the random source. */
const NAME_ATTEMPTS = 8;

/** Creates an object without asking webhooks. It belongs to the store afterwards. */
export function createObject(
  env: ServerParts,
  kind: ServedKind,
  namespace: string,
  given: ApiObject,
  context: WriteContext,
): Written {
  return completeAtOnce(creating(env, kind, namespace, given, context));
}

/**
 * The creation of an object. Steps: namespace, stored form, defaults, ownership, admission, preparation, name, validation,
 * review, commit. The object belongs to the store afterwards.
 */
export function* creating(
  env: ServerParts,
  kind: ServedKind,
  namespace: string,
  given: ApiObject,
  context: WriteContext,
): PendingWrite<Written> {
  const { definition } = kind;
  checkNamespace(definition, namespace, given);
  const object = toStored(kind, given);
  const now = env.clock.now();
  const { rules } = definition;
  rules.applyDefaults?.(object);
  if (definition.hasStatus && definition.keepsStatusOnCreate !== true) delete object.status;
  // Fields that admission and the kind's own preparation add have no owner.
  trackOwnership(kind, object, undefined, '', context, now);
  const attempt = { operation: 'create', definition, subresource: '', namespace, context, object } as const;
  const unnamed = { ...attempt, name: object.metadata.name ?? '' };
  env.admit(unnamed);
  yield { phase: 'mutating', attempt: unnamed };
  initialiseMetadata(object, { uid: env.uid(), now, hasGeneration: definition.hasGeneration });
  rules.prepareCreate?.(object, { now, user: context.user });
  nameObject(env, definition, object);
  const name = object.metadata.name ?? '';
  const errors = [
    ...validateMetadata(definition, object),
    ...(rules.validate?.(object) ?? []),
    ...(rules.validateCreate?.(object) ?? []),
    ...(kind.version.validate?.(object, undefined) ?? []),
  ];
  if (errors.length > 0) throw invalid(definition.group, definition.kind, name, errors);
  const present = env.store.get(definition.table, namespace, name);
  if (present !== undefined) {
    const { deletionTimestamp } = objectOf(present).metadata;
    throw alreadyExists(definition, name, deletionTimestamp !== undefined);
  }
  const named = { ...attempt, name };
  yield { phase: 'validating', attempt: named };
  env.review(named);
  context.warnings.push(...warningsOf(definition.table, object));
  if (context.dryRun) return { object, created: true };
  return { object: objectOf(env.store.create(definition.table, object)), created: true };
}

/** Takes a served object to its stored form. */
export function toStored(kind: ServedKind, object: ApiObject): ApiObject {
  const stored = kind.version.toStored === undefined ? object : kind.version.toStored(object);
  stored.apiVersion = kind.definition.storedApiVersion;
  stored.kind = kind.definition.kind;
  return stored;
}

/** Fills in the namespace of the URL, and refuses an object with a different namespace. */
export function checkNamespace(
  definition: KindDefinition,
  namespace: string,
  object: ApiObject,
  mismatch = 'the namespace of the provided object does not match the namespace sent on the request',
): void {
  const { metadata } = object;
  if (!definition.namespaced) {
    delete metadata.namespace;
    return;
  }
  const given = metadata.namespace ?? '';
  if (given !== '' && given !== namespace) {
    throw badRequest(namespace === '' ? 'an empty namespace may not be set during creation' : mismatch);
  }
  if (namespace === '') throw badRequest('an empty namespace may not be set during creation');
  metadata.namespace = namespace;
}

function nameObject(env: ServerParts, definition: KindDefinition, object: ApiObject): void {
  const { metadata } = object;
  const prefix = metadata.generateName ?? '';
  if ((metadata.name ?? '') !== '' || prefix === '') return;
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt += 1) {
    metadata.name = generateName(prefix, env.random);
    if (env.store.get(definition.table, metadata.namespace ?? '', metadata.name) === undefined) return;
  }
}

/**
 * Server-side apply. Source: kubernetes.io, Server-Side Apply; structured-merge-diff's rules as its users see them.
 *
 * Steps: what the manager applied before and does not apply now is taken out, unless another manager owns it; then the
 * configuration is merged in; a change of a field that another manager owns is a conflict, unless forced.
 */
import { type ApiObject, asJson, type Json, timestamp } from '../../object.ts';
import {
  EMPTY,
  type FieldSet,
  intersect,
  isEmptySet,
  pathsOf,
  subtract,
  subtractBelow,
  union,
} from './field-set.ts';
import { isSame, type Manager, type ManagerId, readManagers, writeManagers } from './managers.ts';
import type { Shape } from './shape.ts';
import { compare, fieldsOf, mergeTyped, removeFields } from './typed.ts';

/** A field that another manager owns and that would change. */
export interface Conflict {
  readonly manager: Manager;
  readonly paths: readonly string[];
}

type Applied =
  | { readonly kind: 'merged'; readonly object: ApiObject }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };

interface ApplyRequest {
  /** Undefined where the object is to be created. */
  readonly live: ApiObject | undefined;
  readonly config: ApiObject;
  readonly manager: ManagerId;
  readonly force: boolean;
  readonly shape: Shape;
  readonly now: number;
}

/** Fields without owners: they say which object it is, or are the server's. */
const SERVER_FIELDS = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'generation',
  'managedFields',
  'resourceVersion',
  'generateName',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** The object without what has no owner. */
export function ownable(object: ApiObject): Json {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const own = Object.fromEntries(
    Object.entries(metadata).filter(([field]) => !SERVER_FIELDS.includes(field)),
  );
  return { ...rest, ...(Object.keys(own).length === 0 ? {} : { metadata: own }) };
}

/** Applies a configuration; pure. */
export function apply(request: ApplyRequest): Applied {
  const { live, config, manager, force, shape, now } = request;
  const before = managersOf(live, manager, shape, now);
  const own = before.find((other) => isSame(other, manager));
  const others = before.filter((other) => other !== own);
  const configFields = ownedFields(config, shape);
  const pruned =
    live === undefined ? undefined : prune(live, own?.fields ?? EMPTY, configFields, others, shape);
  // Merging two objects of one kind gives one of that kind.
  const merged = mergeTyped(pruned ?? {}, withoutServerFields(config, live), shape) as ApiObject;
  merged.apiVersion = config.apiVersion ?? '';
  merged.kind = config.kind ?? '';
  const difference = compare(live === undefined ? {} : ownable(live), ownable(merged), shape);
  const changed = union(difference.added, difference.modified);
  const conflicts = others
    .map((other) => ({ manager: other, paths: pathsOf(intersect(other.fields, changed)) }))
    .filter(({ paths }) => paths.length > 0);
  if (conflicts.length > 0 && !force) return { kind: 'conflict', conflicts };
  const left = others.map((other) => ({
    ...other,
    fields: subtractBelow(subtract(other.fields, changed), difference.removed),
  }));
  const isUnchanged = own !== undefined && isEmptySet(changed) && isEmptySet(difference.removed);
  const time = isUnchanged && own !== undefined ? own.time : timestamp(now);
  const managers = [...left, { ...manager, time, fields: configFields }];
  return {
    kind: 'merged',
    object: { ...merged, metadata: { ...merged.metadata, managedFields: writeManagers(managers) } },
  };
}

/** The fields that an object sets; none for one that says only who it is. */
function ownedFields(object: ApiObject, shape: Shape): FieldSet {
  const own = ownable(object);
  return Object.keys(own).length === 0 ? EMPTY : fieldsOf(own, shape);
}

/** Everything that was there before the first apply belongs to a manager of that name. */
function managersOf(live: ApiObject | undefined, manager: ManagerId, shape: Shape, now: number): Manager[] {
  if (live === undefined) return [];
  const known = readManagers(live.metadata.managedFields);
  if (known.length > 0) return known;
  return [
    {
      name: 'before-first-apply',
      operation: 'Update',
      apiVersion: manager.apiVersion,
      subresource: '',
      time: timestamp(now),
      fields: ownedFields(live, shape),
    },
  ];
}

/** Takes out what this manager alone owned and gave up. */
function prune(
  live: ApiObject,
  last: FieldSet,
  config: FieldSet,
  others: readonly Manager[],
  shape: Shape,
): ApiObject {
  const owned = others.reduce((sum, other) => union(sum, other.fields), EMPTY);
  const given = subtract(subtract(last, config), owned);
  if (isEmptySet(given)) return live;
  const kept = keepAncestors(given, union(owned, config));
  const left = asJson(removeFields(live, kept, shape));
  // Identity is never owned, so metadata is left with at least the name.
  return { ...left, metadata: asJson(left.metadata) };
}

/** A container of which a manager still owns a part stays, even if its own membership was given up. */
function keepAncestors(removed: FieldSet, owned: FieldSet): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [step, child] of removed.children) {
    const still = owned.children.get(step);
    const next = still === undefined ? child : keepAncestors(child, still);
    const isMember = next.isMember && (still === undefined || isEmptySet(still));
    const kept: FieldSet = { isMember, children: next.children };
    if (!isEmptySet(kept)) children.set(step, kept);
  }
  return { isMember: removed.isMember, children };
}

/** The configuration with identity taken from the live object, so that merging cannot change it. */
function withoutServerFields(config: ApiObject, live: ApiObject | undefined): ApiObject {
  const metadata = { ...config.metadata };
  delete metadata.managedFields;
  if (live !== undefined)
    for (const field of ['creationTimestamp', 'uid', 'generation'] as const) delete metadata[field];
  return { ...config, metadata };
}

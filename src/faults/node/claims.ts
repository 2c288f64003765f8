import type { Node } from '@turnsole/kube/kinds/core';

/** Annotation of a Node in which faults keep what they have set on it: a JSON object of claims by injection id. */
export const CLAIMS_ANNOTATION = 'turnsole.io/node-claims';

/** A taint as faults set it. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** What one injection has set on a node. Anything that was set before is not part of its claim, and stays. */
export interface NodeClaim {
  readonly cordon?: true;
  readonly taints?: readonly Taint[];
}

/** A merge patch that is only accepted while the node is as it was read. */
export interface NodePatch {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly annotations: Readonly<Record<string, string | null>>;
  };
  readonly spec?: {
    readonly unschedulable?: boolean | null;
    readonly taints?: readonly object[];
  };
}

/** The granted part of a claim, and its patch. */
interface Grant {
  readonly claim: NodeClaim;
  /** Undefined: nothing has to be written. */
  readonly patch: NodePatch | undefined;
}

type NodeTaint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

/**
 * Sets on a node what an injection wants, and records that it was this injection: in one patch, so that the component that reverts
 * knows exactly what to take back, wherever the injecting process died. Pure.
 *
 * A cordon or a taint without a claim belongs to another client and is not claimed. One that other injections have
 * claimed is claimed as well; the last of them removes it.
 */
export function claim(node: Node, id: string, wanted: NodeClaim): Grant {
  const claims = readClaims(node);
  const present = claims.get(id);
  if (present !== undefined) return { claim: present, patch: undefined };
  const others = [...claims.values()];
  const isCordoned = node.spec?.unschedulable === true;
  const cordon = wanted.cordon === true && (!isCordoned || others.some((one) => one.cordon === true));
  const taints = (wanted.taints ?? []).filter(
    (taint) =>
      !hasTaint(node, taint) || others.some((one) => one.taints?.some((other) => isSameTaint(other, taint))),
  );
  const missing = taints.filter((taint) => !hasTaint(node, taint));
  const granted: NodeClaim = {
    ...(cordon ? { cordon: true } : {}),
    ...(taints.length === 0 ? {} : { taints }),
  };
  if (!cordon && taints.length === 0) return { claim: granted, patch: undefined };
  const spec = {
    ...(cordon && !isCordoned ? { unschedulable: true } : {}),
    ...(missing.length === 0 ? {} : { taints: [...(node.spec?.taints ?? []), ...missing] }),
  };
  return { claim: granted, patch: patchOf(node, new Map([...claims, [id, granted]]), spec) };
}

/**
 * Takes back what an injection has set. Undefined when it has set nothing, also because the node was made anew. A cordon or
 * taint that another injection claims stays for that one; a taint whose value another client has changed is theirs now. Pure.
 */
export function release(node: Node, id: string): NodePatch | undefined {
  const claims = readClaims(node);
  const own = claims.get(id);
  if (own === undefined) return undefined;
  claims.delete(id);
  const others = [...claims.values()];
  const uncordons = own.cordon === true && !others.some((one) => one.cordon === true);
  const going = (own.taints ?? []).filter(
    (taint) => !others.some((one) => one.taints?.some((other) => isSameTaint(other, taint))),
  );
  const present = node.spec?.taints ?? [];
  const left = present.filter((taint) => !going.some((one) => isSameTaint(one, taint)));
  return patchOf(node, claims, {
    ...(uncordons && node.spec?.unschedulable === true ? { unschedulable: null } : {}),
    ...(left.length === present.length ? {} : { taints: left }),
  });
}

/** Taints that cannot be set because one of that key and effect is there with another value; a node may have only one. Pure. */
export function conflictingTaints(
  present: readonly Pick<NodeTaint, 'key' | 'value' | 'effect'>[],
  wanted: readonly Taint[],
): Taint[] {
  return wanted.filter(({ key, value, effect }) =>
    present.some((one) => one.key === key && one.effect === effect && (one.value ?? '') !== value),
  );
}

/** `key=value:effect`. Pure. */
export function formatTaint({ key, value, effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

function patchOf(
  { metadata }: Node,
  claims: ReadonlyMap<string, NodeClaim>,
  spec: NonNullable<NodePatch['spec']>,
): NodePatch {
  const text = claims.size === 0 ? null : JSON.stringify(Object.fromEntries(claims));
  return {
    metadata: { resourceVersion: metadata.resourceVersion, annotations: { [CLAIMS_ANNOTATION]: text } },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

/**
 * The claims of a node by injection id.
 *
 * @throws Error when the annotation was damaged, so that it no longer says which run owns what
 */
function readClaims({ metadata }: Node): Map<string, NodeClaim> {
  const text = metadata.annotations?.[CLAIMS_ANNOTATION];
  if (text === undefined || text === '') return new Map();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(damaged(metadata.name), { cause });
  }
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !Object.values(value).every(isClaim)
  )
    throw new Error(damaged(metadata.name));
  return new Map(Object.entries(value));
}

function damaged(node: string): string {
  return (
    `annotation ${CLAIMS_ANNOTATION} of node ${node} cannot be read; look at the node's taints and cordon, ` +
    'take back what does not belong there, and remove the annotation'
  );
}

function isClaim(value: unknown): value is NodeClaim {
  if (typeof value !== 'object' || value === null) return false;
  const { taints = [] } = value as { taints?: unknown };
  return Array.isArray(taints) && taints.every((taint) => typeof taint === 'object' && taint !== null);
}

function hasTaint({ spec }: Node, taint: Taint): boolean {
  return (spec?.taints ?? []).some((present) => isSameTaint(present, taint));
}

/** Whether two taints are one; a node has one value of a key and effect. Pure. */
export function isSameTaint(
  a: Pick<NodeTaint, 'key' | 'value' | 'effect'>,
  b: Pick<NodeTaint, 'key' | 'value' | 'effect'>,
): boolean {
  return a.key === b.key && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
}

import type { AgentOrder } from '../run/agent-orders.ts';
import { type Json, objectAt, textAt } from './manifest/json.ts';
import { isSchedule, namespaceOf } from './manifest/prepare-run.ts';
import type { Manifest } from './manifest/read-manifest.ts';

/** Where a schedule is, and what it is. */
export interface PlacedManifest {
  readonly manifest: Manifest;
  readonly infra: string;
}

/** An order, and whose agent it is for. */
interface PlacedOrder {
  readonly infra: string;
  readonly order: AgentOrder;
}

/**
 * What agents are to do when an experiment changes whose schedule one of them has. The same object is updated; one that has another name
 * or kind, or moves to another infrastructure, is deleted where it was, so that it does not go on there unseen. Pure.
 *
 * @param after undefined for an experiment that is deleted
 * @param prepared what the agent gets of `after`; undefined when that is no schedule
 */
export function scheduleOrders(
  before: PlacedManifest,
  after: PlacedManifest | undefined,
  prepared: Json | undefined,
): PlacedOrder[] {
  const isSame = after !== undefined && prepared !== undefined && sameObject(before, after);
  const gone = isSame ? [] : [{ infra: before.infra, order: deleteOrder(before.manifest.object) }];
  if (after === undefined || prepared === undefined) return gone;
  const [create, update] = beginOrders(prepared);
  return [...gone, { infra: after.infra, order: isSame ? update : create }];
}

/** Makes a schedule's object; and where there is one of that name already, gives it what is wanted now. Pure. */
export function beginOrders(prepared: Json): [create: AgentOrder, update: AgentOrder] {
  const common = { manifest: JSON.stringify(prepared), namespace: namespaceOf(prepared), externalData: null };
  return [
    { requestType: 'create', ...common },
    { requestType: 'update', ...common },
  ];
}

function sameObject(before: PlacedManifest, after: PlacedManifest): boolean {
  return (
    before.infra === after.infra &&
    isSchedule(after.manifest) &&
    before.manifest.kind === after.manifest.kind &&
    before.manifest.name === after.manifest.name &&
    namespaceOf(before.manifest.object) === namespaceOf(after.manifest.object)
  );
}

/** Names an object and nothing else of it. */
function deleteOrder(object: Json): AgentOrder {
  const metadata = objectAt(object, 'metadata');
  const named = {
    apiVersion: textAt(object, 'apiVersion'),
    kind: textAt(object, 'kind'),
    metadata: { name: textAt(metadata, 'name'), namespace: namespaceOf(object) },
  };
  return {
    requestType: 'delete',
    manifest: JSON.stringify(named),
    namespace: namespaceOf(object),
    externalData: null,
  };
}

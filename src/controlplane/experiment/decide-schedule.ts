import { type Json, objectAt, textAt } from '@turnsole/kube/text/json';
import { type AgentOrder, aboutObject } from '../run/agent-orders.ts';
import { isSchedule, namespaceOf } from './manifest/prepare-run.ts';
import type { Manifest } from './manifest/read-manifest.ts';

/** A schedule's manifest and its infrastructure. */
export interface PlacedManifest {
  readonly manifest: Manifest;
  readonly infra: string;
}

/** An order, and the infrastructure of its agent. */
interface PlacedOrder {
  readonly infra: string;
  readonly order: AgentOrder;
}

/**
 * Orders for agents when an experiment changes whose schedule one of them has. The agent updates the same object; an object with another name
 * or kind, or for another infrastructure, is deleted at its old place, so that it does not continue there unnoticed. Pure.
 *
 * @param after undefined for an experiment that is deleted
 * @param prepared the object of `after` for the agent; undefined if that is no schedule
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

/** Creates a schedule's object, and updates an existing one of that name. Pure. */
export function beginOrders(prepared: Json): [create: AgentOrder, update: AgentOrder] {
  const namespace = namespaceOf(prepared);
  return [aboutObject('create', prepared, namespace), aboutObject('update', prepared, namespace)];
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
  return aboutObject('delete', named, namespaceOf(object));
}

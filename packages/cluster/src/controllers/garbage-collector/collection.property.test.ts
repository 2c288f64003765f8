import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OwnerReference } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS, REPLICA_SETS, type Resource } from '@turnsole/kube/kinds/resources';
import fc from 'fast-check';
import { decideCollection } from './decide-collection.ts';
import { FOREGROUND_FINALIZER, type GraphNode, ORPHAN_FINALIZER, OwnerGraph } from './graph.ts';

type Policy = 'Background' | 'Foreground' | 'Orphan';

/** A server reduced to what the collector sees of it, whose watch events are delivered when the test says so. */
class World {
  readonly objects = new Map<string, GraphNode>();
  readonly graph = new OwnerGraph();
  readonly queue = new Set<string>();
  #events: (() => string[])[] = [];
  #version = 0;
  #turn = 0;

  put(node: GraphNode): void {
    const stored = { ...node, resourceVersion: String(++this.#version) };
    if (stored.going && stored.finalizers.length === 0) {
      this.objects.delete(node.uid);
      this.#events.push(() => this.graph.delete(node.uid));
      return;
    }
    this.objects.set(node.uid, stored);
    this.#events.push(() => this.graph.set(stored));
  }

  delete(uid: string, policy: Policy): void {
    const node = this.objects.get(uid);
    if (node === undefined) return;
    const others = node.finalizers.filter((one) => one !== ORPHAN_FINALIZER && one !== FOREGROUND_FINALIZER);
    const added = { Background: [], Foreground: [FOREGROUND_FINALIZER], Orphan: [ORPHAN_FINALIZER] }[policy];
    this.put({ ...node, going: true, finalizers: [...others, ...added] });
  }

  /** Delivers one event, or lets the collector look at one object. @returns false when there is neither */
  step(pick: number): boolean {
    const hasEvent = this.#events.length > 0;
    const waiting = [...this.queue];
    if (!hasEvent && waiting.length === 0) return false;
    // No news is kept back for ever, however unlucky the picks are.
    if (hasEvent && (waiting.length === 0 || pick % 2 === 0 || ++this.#turn % 4 === 0)) {
      for (const uid of this.#events.shift()?.() ?? []) this.queue.add(uid);
      return true;
    }
    const uid = waiting[pick % waiting.length] ?? '';
    this.queue.delete(uid);
    this.#look(uid);
    return true;
  }

  #look(uid: string): void {
    const seen = this.graph.get(uid);
    const decision = decideCollection(this.graph, uid, (_, kind) =>
      [DEPLOYMENTS, REPLICA_SETS, PODS].find((resource) => resource.kind === kind),
    );
    const now = this.objects.get(uid);
    switch (decision.action) {
      case 'none':
        return;
      case 'verify':
        for (const { reference } of decision.owners) {
          const found = this.objects.get(reference.uid);
          if (found === undefined) this.graph.noteAbsent(reference.uid);
          else if (!this.graph.isAbsent(reference.uid))
            for (const one of this.graph.set(found)) this.queue.add(one);
        }
        this.queue.add(uid);
        return;
      case 'look-at':
        for (const dependent of decision.dependents) this.queue.add(dependent.uid);
        return;
      default:
        break;
    }
    // Writes carry the version they rest on; a newer one refuses them and the object is looked at again.
    if (now === undefined) return;
    if (now.resourceVersion !== seen?.resourceVersion) {
      this.queue.add(uid);
      return;
    }
    switch (decision.action) {
      case 'delete':
        this.delete(uid, decision.policy);
        return;
      case 'keep-owners':
        this.put({ ...now, owners: decision.owners });
        return;
      case 'remove-finalizer':
        this.put({ ...now, finalizers: now.finalizers.filter((one) => one !== decision.finalizer) });
        return;
      case 'release':
      case 'unblock':
        for (const dependent of decision.dependents) {
          const present = this.objects.get(dependent.uid);
          if (present === undefined) continue;
          if (present.resourceVersion !== dependent.resourceVersion) {
            this.queue.add(uid);
            continue;
          }
          const owners =
            decision.action === 'release'
              ? present.owners.filter((owner) => owner.uid !== uid)
              : present.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
          this.put({ ...present, owners });
        }
    }
  }
}

const KINDS: readonly Resource[] = [DEPLOYMENTS, REPLICA_SETS, PODS];

function nodeOf(index: number, owners: readonly number[], blocking: boolean): GraphNode {
  const resource = KINDS[Math.min(index % 3, 2)] ?? PODS;
  return {
    uid: `u${index}`,
    resource,
    namespace: 'default',
    name: `o${index}`,
    resourceVersion: '0',
    owners: owners.map((owner): OwnerReference => {
      const kind = KINDS[Math.min(owner % 3, 2)] ?? PODS;
      return {
        apiVersion: kind === PODS ? 'v1' : 'apps/v1',
        kind: kind.kind,
        name: `o${owner}`,
        uid: `u${owner}`,
        blockOwnerDeletion: blocking,
      };
    }),
    finalizers: [],
    going: false,
  };
}

/** Who is left in the end: everybody with an owner that is left, or who never had one, or whose owner orphaned it. */
function expectedSurvivors(
  nodes: readonly GraphNode[],
  deleted: ReadonlyMap<string, Policy>,
): { readonly certain: Set<string>; readonly possible: Set<string> } {
  const alive = new Set<string>();
  const maybe = new Set<string>();
  for (const node of nodes) {
    // Owners have lower numbers, so they are decided already.
    if (deleted.has(node.uid)) continue;
    const kept = node.owners.some(({ uid }) => alive.has(uid));
    const orphaned = node.owners.some(({ uid }) => deleted.get(uid) === 'Orphan');
    const unsure = node.owners.some(({ uid }) => maybe.has(uid));
    if (node.owners.length === 0 || kept) alive.add(node.uid);
    else if (orphaned || unsure) maybe.add(node.uid);
  }
  return { certain: alive, possible: maybe };
}

describe('whatever is owned by what and deleted how, in whatever order the news come', () => {
  const size = 8;
  const shape = fc.array(
    fc.record({ owners: fc.array(fc.nat(), { maxLength: 2 }), blocking: fc.boolean() }),
    { minLength: 2, maxLength: size },
  );
  const deletions = fc.array(
    fc.tuple(fc.nat(), fc.constantFrom<Policy>('Background', 'Foreground', 'Orphan')),
    { minLength: 1, maxLength: 4 },
  );

  test('what has an owner stays, what has lost all of them goes, and nothing waits for ever', () => {
    fc.assert(
      fc.property(
        shape,
        deletions,
        fc.array(fc.nat(), { minLength: 1, maxLength: 60 }),
        (shapes, doomed, picks) => {
          const nodes = shapes.map(({ owners, blocking }, index) =>
            nodeOf(index, index === 0 ? [] : [...new Set(owners.map((owner) => owner % index))], blocking),
          );
          const world = new World();
          for (const node of nodes) world.put(node);
          let turn = 0;
          const run = (limit: number) => {
            for (let i = 0; i < limit; i++) if (!world.step(picks[turn++ % picks.length] ?? 0)) return true;
            return false;
          };
          run(nodes.length);
          const deleted = new Map<string, Policy>();
          for (const [pick, policy] of doomed) {
            const uid = `u${pick % nodes.length}`;
            // Deleting twice in different ways means what the server makes of it; the model knows single deletions.
            if (deleted.has(uid)) continue;
            deleted.set(uid, policy);
            world.delete(uid, policy);
            run(picks.length % 5);
          }
          assert.ok(run(5_000), 'it comes to an end');
          const { certain, possible } = expectedSurvivors(nodes, deleted);
          const left = [...world.objects.values()];
          for (const uid of certain) assert.ok(world.objects.has(uid), `${uid} has an owner and must stay`);
          for (const node of left) {
            assert.ok(
              certain.has(node.uid) || possible.has(node.uid),
              `${node.uid} has no owner left and must go`,
            );
            assert.ok(!node.going, `${node.uid} waits for ever`);
            assert.ok(
              node.owners.every(({ uid }) => world.objects.has(uid)) || node.owners.length > 0,
              'no reference dangles where none is valid',
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

import assert from 'node:assert/strict';
import type { ApiServer } from '@turnsole/cluster/apiserver/index';
import type { View, WatchedObject } from './views.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One commit, as the store told it. */
export interface Commit {
  readonly revision: number;
  readonly key: string;
  readonly isDeleted: boolean;
  readonly object: WatchedObject;
}

/** What a watch of a view has to say about one commit. */
export interface ViewChange {
  readonly type: EventType;
  readonly revision: number;
  readonly key: string;
  readonly object: WatchedObject;
}

/**
 * Everything that was committed, taken down beside the server: the model that watches are compared with. It keeps
 * states of its own and uses nothing of the store's history, selection or delivery to watches.
 */
export class Truth {
  readonly #commits = new Map<string, Commit[]>();
  readonly #api: ApiServer;

  constructor(api: ApiServer, tables: readonly string[]) {
    this.#api = api;
    for (const table of tables) {
      // What the server made for itself is there already.
      const commits: Commit[] = api.store
        .list(table)
        .versions.toSorted((a, b) => a.revision - b.revision)
        .map(({ revision, key, object }) => ({
          revision,
          key,
          isDeleted: false,
          object: object as WatchedObject,
        }));
      this.#commits.set(table, commits);
      api.store.observe(table, ({ type, revision, version }) => {
        // What the API server commits is an object of its API.
        const object = structuredClone(version.object) as WatchedObject;
        commits.push({ revision, key: version.key, isDeleted: type === 'DELETED', object });
      });
    }
  }

  get revision(): number {
    return this.#api.store.revision;
  }

  commits(table: string): readonly Commit[] {
    const commits = this.#commits.get(table);
    assert.ok(commits !== undefined, `nobody takes down ${table}`);
    return commits;
  }

  /** Revision up to which a table's changes are forgotten. */
  compacted(table: string): number {
    return this.#api.store.history(table).compacted;
  }

  /** Checks that the answer to a write is a state that was committed. */
  checkAnswer(table: string, answered: WatchedObject): void {
    const found = this.commits(table).find(
      ({ revision }) => String(revision) === answered.metadata.resourceVersion,
    );
    assert.ok(found !== undefined, `${table} ${answered.metadata.name}: acknowledged and not committed`);
    // The write that takes the last finalizer is answered as if it was stored; what is stored is the deletion.
    const { deletionTimestamp, finalizers = [] } = answered.metadata;
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
    if (!isGone) assertSame(answered, found.object, 'the answer to a write');
  }

  /** Objects of a view at a revision, in the order of lists. */
  stateAt(view: View, revision: number): WatchedObject[] {
    const state = new Map<string, WatchedObject>();
    for (const commit of this.commits(view.kind.table)) {
      if (commit.revision > revision) break;
      if (commit.isDeleted) state.delete(commit.key);
      else state.set(commit.key, commit.object);
    }
    return [...state.values()].filter((object) => view.selects(object)).sort(byNamespaceAndName);
  }

  /** What a watch of the view has to tell from the beginning of time. */
  changes(view: View): ViewChange[] {
    const inside = new Map<string, WatchedObject>();
    const changes: ViewChange[] = [];
    for (const { revision, key, isDeleted, object } of this.commits(view.kind.table)) {
      const before = inside.get(key);
      const isSelected = !isDeleted && view.selects(object);
      if (isSelected) {
        changes.push({ type: before === undefined ? 'ADDED' : 'MODIFIED', revision, key, object });
        inside.set(key, object);
      } else if (before !== undefined) {
        // Shown as it was inside, at the revision at which it left; a deleted object in its last state.
        const last = isDeleted
          ? object
          : { ...before, metadata: { ...before.metadata, resourceVersion: String(revision) } };
        changes.push({ type: 'DELETED', revision, key, object: last });
        inside.delete(key);
      }
    }
    return changes;
  }
}

function byNamespaceAndName(a: WatchedObject, b: WatchedObject): number {
  const [left, right] = [a, b].map(({ metadata }) => [metadata.namespace ?? '', metadata.name]);
  for (const index of [0, 1]) {
    const [one = '', other = ''] = [left?.[index], right?.[index]];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Compares what was served with what was committed; the API version depends on the path that was asked. */
export function assertSame(served: WatchedObject, committed: WatchedObject, what: string): void {
  const { apiVersion: _served, kind: _kind, ...found } = served;
  const { apiVersion: _committed, kind: _sameKind, ...expected } = committed;
  assert.deepEqual(found, expected, what);
}

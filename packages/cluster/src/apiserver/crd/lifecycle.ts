/** Serves the kinds of the stored CustomResourceDefinitions, and deletes the objects of definitions that are being deleted. */
import type { Change } from '../../store/index.ts';
import type { ApiObject } from '../object.ts';
import { deleteObject } from '../registry/delete.ts';
import type { ServerParts } from '../registry/environment.ts';
import { SERVER_CONTEXT } from '../registry/server-context.ts';
import { updateObject } from '../registry/update.ts';
import { objectOf } from '../stored-object.ts';
import { kindOfDefinition } from './kind.ts';
import { CLEANUP_FINALIZER } from './rules.ts';

const TABLE = 'customresourcedefinitions.apiextensions.k8s.io';

/** Keeps the registry equal to the stored definitions, inside each commit. */
export class DefinitionLifecycle {
  readonly #env: ServerParts;
  readonly #watched = new Set<string>();

  constructor(env: ServerParts) {
    this.#env = env;
    for (const version of env.store.values(TABLE)) this.#serve(objectOf(version));
    env.store.observe(TABLE, (change) => this.#onChange(change));
  }

  #onChange({ type, version, previous }: Change): void {
    const crd = objectOf(version);
    if (type === 'DELETED') {
      const kind = kindOfDefinition(crd);
      if (kind !== undefined) this.#env.kinds.remove(kind.group, kind.plural);
      return;
    }
    if (previous === undefined || objectOf(previous).metadata.generation !== crd.metadata.generation)
      this.#serve(crd);
    // Not inside the commit: a watcher must not write.
    if (isTerminating(crd)) queueMicrotask(() => this.#cleanUp(version.name));
  }

  #serve(crd: ApiObject): void {
    const kind = kindOfDefinition(crd);
    if (kind === undefined) return;
    this.#env.kinds.add(kind);
    if (this.#watched.has(kind.table)) return;
    this.#watched.add(kind.table);
    this.#env.store.observe(kind.table, ({ type }) => {
      if (type === 'DELETED') queueMicrotask(() => this.#cleanUp(`${kind.plural}.${kind.group}`));
    });
  }

  /** One step of deleting a definition: deletes its objects; when none is left, removes the finalizer of the definition. */
  #cleanUp(name: string): void {
    const version = this.#env.store.get(TABLE, '', name);
    if (version === undefined) return;
    const crd = objectOf(version);
    if (!isTerminating(crd)) return;
    const kind = kindOfDefinition(crd);
    if (kind !== undefined) {
      for (const item of [...this.#env.store.values(kind.table)]) {
        if (objectOf(item).metadata.deletionTimestamp !== undefined) continue;
        if (this.#env.store.get(kind.table, item.namespace, item.name) !== item) continue;
        deleteObject(this.#env, kind, item.namespace, item.name, {}, SERVER_CONTEXT);
      }
      if (this.#env.store.count(kind.table) > 0) return;
    }
    const served = this.#env.kinds.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (served === undefined || this.#env.store.get(TABLE, '', name) === undefined) return;
    updateObject(this.#env, {
      kind: served,
      namespace: '',
      name,
      subresource: '',
      produce: (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          finalizers: (current.metadata.finalizers ?? []).filter(
            (finalizer) => finalizer !== CLEANUP_FINALIZER,
          ),
        },
      }),
      context: SERVER_CONTEXT,
    });
  }
}

function isTerminating({ metadata }: ApiObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(CLEANUP_FINALIZER) === true
  );
}

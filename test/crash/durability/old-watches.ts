/** Watches that resume far back after a restart: everything since then comes, or 410 when it is forgotten. */
import assert from 'node:assert/strict';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { Fields, ServerProcess } from './process.ts';

/** A collection that is watched. */
interface Watched {
  readonly path: string;
  readonly table: string;
}

/** What a watch from an old revision came to. */
export type OldWatch = 'resumed' | 'expired';

/** Remembers where watches could have begun, and what they have to bring. */
export class OldWatches {
  readonly #listed = new Map<string, number[]>();
  readonly #acknowledged = new Map<string, number[]>();

  /** A list was of this revision. */
  noteList({ table }: Watched, revision: number): void {
    this.#listed.set(table, [...(this.#listed.get(table) ?? []), revision]);
  }

  /** A write was acknowledged with this revision. */
  noteWrite({ table }: Watched, revision: number): void {
    this.#acknowledged.set(table, [...(this.#acknowledged.get(table) ?? []), revision]);
  }

  /** Watches from the first list, and from one in the middle, up to `marker`, which is there already. */
  async check(
    server: ServerProcess,
    watched: Watched,
    marker: number,
    historyLimit: number,
  ): Promise<OldWatch[]> {
    const listed = this.#listed.get(watched.table) ?? [];
    const from = [listed[0], listed[listed.length >> 1]].filter((revision) => revision !== undefined);
    const outcomes: OldWatch[] = [];
    for (const revision of new Set(from))
      outcomes.push(await this.#checkFrom(server, watched, revision, marker, historyLimit));
    return outcomes;
  }

  async #checkFrom(
    server: ServerProcess,
    watched: Watched,
    from: number,
    marker: number,
    historyLimit: number,
  ): Promise<OldWatch> {
    const about = `${watched.table}: the watch from ${from} to ${marker}`;
    const { revisions, error } = await follow(server, watched, from, marker, about);
    if (error !== undefined) {
      assert.deepEqual([error.code, error.reason], [410, 'Expired'], about);
      assert.equal(revisions.length, 0, `${about}: events before a 410`);
      // No table can have had more changes than there were revisions.
      assert.ok(marker - from >= historyLimit, `${about}: 410 although everything is kept`);
      return 'expired';
    }
    assert.deepEqual(
      revisions,
      [...new Set(revisions)].toSorted((a, b) => a - b),
      `${about}: order`,
    );
    const received = new Set(revisions);
    for (const revision of this.#acknowledged.get(watched.table) ?? []) {
      assert.ok(revision <= from || received.has(revision), `${about}: the change ${revision} is missing`);
    }
    return 'resumed';
  }
}

interface Followed {
  readonly revisions: number[];
  readonly error?: Fields;
}

function follow(
  server: ServerProcess,
  { path }: Watched,
  from: number,
  marker: number,
  about: string,
): Promise<Followed> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${about} does not end`)), PATIENCE_MS);
    const revisions: number[] = [];
    const end = (followed: Followed): void => {
      clearTimeout(timer);
      resolve(followed);
    };
    server.watch(`${path}?watch=1&timeoutSeconds=30&resourceVersion=${from}`, ({ type, object }) => {
      // A watch brings objects with metadata, and a Status as its error.
      const fields = object as Fields;
      if (type === 'ERROR') {
        end({ revisions, error: fields });
        return;
      }
      const revision = Number((fields.metadata as Fields).resourceVersion);
      if (revision <= marker) revisions.push(revision);
      if (revision >= marker) end({ revisions });
    });
  });
}

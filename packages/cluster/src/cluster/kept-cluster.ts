/** What a cluster with a data folder remembers from one start to the next. Loaded only by such clusters. */
import { basename, join, resolve } from 'node:path';
import type { Store } from '../store/index.ts';
import { syncToDisk } from '../store/journal/database.ts';
import { SqliteJournal } from '../store/journal/sqlite-journal.ts';
import { RUN_FOLDER, removeRuns } from './dead-runs.ts';

/** Settings that a restart should keep. */
interface KeptSettings {
  readonly port: number;
  readonly nodes: number;
  readonly serviceCidr: string;
}

/** Nodes by the names that this cluster gives; others were registered by clients and are left alone. */
const NODE_NAME = /^turnsole-(\d+)$/;

/** A data folder that this process has locked. */
export class KeptCluster {
  readonly directory: string;
  readonly journal: SqliteJournal;

  /** @throws DataFolderError when the folder cannot be used */
  constructor(directory: string) {
    this.directory = resolve(directory);
    this.journal = new SqliteJournal({ directory: this.directory });
  }

  /** Port of the last time. */
  get port(): number | undefined {
    return this.#number('port');
  }

  /** Number of nodes of the last time. */
  get nodes(): number | undefined {
    return this.#number('nodes');
  }

  /** The block of 127.0.0.0/8 or 10.0.0.0/8 that the services of the last time have their addresses from. */
  get addressBlock(): number | undefined {
    const block = /^(?:127|10)\.(\d+)\./.exec(this.journal.setting('serviceCidr') ?? '')?.[1];
    return block === undefined ? undefined : Number(block);
  }

  /**
   * Says that this process has the folder and runs in `runDir`, after what a killed cluster left was cleaned up: its
   * reaper does that, but may not have come to it, or was killed too.
   */
  async begin(runDir: string): Promise<void> {
    const previous = this.journal.previousRunDir;
    // Only folders that we make: the file may say anything.
    if (previous !== undefined && RUN_FOLDER.test(basename(previous))) await removeRuns([previous]);
    this.journal.holdFor(runDir);
  }

  /** Brings what was restored up to the cluster that is started now: nodes that it does not have are removed. */
  async prepare(store: Store, nodes: number): Promise<void> {
    for (const version of [...store.values('nodes')]) {
      const number = Number(NODE_NAME.exec(version.name)?.[1] ?? 0);
      if (number > nodes) store.delete('nodes', version, structuredClone(version.object));
    }
    await store.flushed();
  }

  /** Remembers how the cluster runs, once it does; its keys are safe from then on. */
  remember({ port, nodes, serviceCidr }: KeptSettings): void {
    // Never the database: closing any other handle of it would give up its lock (fcntl).
    for (const name of ['ca.crt', 'ca.key', 'apiserver.crt', 'apiserver.key', 'sa.key', 'admin.token', '.']) {
      syncToDisk(join(this.directory, name));
    }
    this.journal.setSetting('port', String(port));
    this.journal.setSetting('nodes', String(nodes));
    this.journal.setSetting('serviceCidr', serviceCidr);
  }

  async close(): Promise<void> {
    try {
      this.journal.holdFor(undefined);
    } catch {
      // A full disk: the next start looks for remains of this one, and finds none.
    }
    await this.journal.close();
  }

  #number(name: string): number | undefined {
    const value = Number(this.journal.setting(name) ?? Number.NaN);
    return Number.isInteger(value) ? value : undefined;
  }
}

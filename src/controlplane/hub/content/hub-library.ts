import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Credentials, downloadZip, fetchArchive, type RemoteSettings } from '../../remote/index.ts';
import { HubFolder } from './hub-folder.ts';
import { unpackHub } from './unpack.ts';

/** Source of a hub. */
export type HubSource =
  | { readonly kind: 'git'; readonly url: string; readonly branch: string; readonly credentials: Credentials }
  | { readonly kind: 'zip'; readonly url: string };

/** Settings for fetching and storing copies of hubs. */
interface LibrarySettings {
  /** Folder of this server for the copies; created if missing. */
  readonly folder: string;
  readonly remote: RemoteSettings;
  /** Largest zip file that is downloaded, in bytes. */
  readonly mostZipBytes: number;
}

/** Link to the current copy. */
const CURRENT = 'current';

/**
 * The copies of hubs on this server's disk, by hub id. A new copy is written beside the current one and replaces it atomically:
 * readers never see half of a hub, and keep the old copy if the new one cannot be fetched.
 */
export class HubLibrary {
  readonly #settings: LibrarySettings;
  /** The last task of each hub: a hub has one fetch at a time. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** The state of each copy that this process has fetched. */
  readonly #states = new Map<string, number>();

  constructor(settings: LibrarySettings) {
    this.#settings = settings;
  }

  /** The copy of a hub; undefined if there is none yet. */
  open(id: string): Promise<HubFolder | undefined> {
    return HubFolder.open(join(this.#settings.folder, id, CURRENT));
  }

  /**
   * Fetches a hub, and replaces the previous copy.
   *
   * @param at the state of the new copy: the time of the request, in milliseconds
   * @throws RemoteError if it cannot be fetched, with a message for its owner · the signal's reason
   */
  fetch(id: string, source: HubSource, at: number, signal: AbortSignal): Promise<void> {
    return this.#inTurn(id, async () => {
      await this.#fetch(id, source, signal);
      this.#states.set(id, at);
    });
  }

  /** The state of a copy: at least as new as the source at this time; 0 for a copy of an earlier process. */
  fetchedAt(id: string): number {
    return this.#states.get(id) ?? 0;
  }

  /** Resolves when a hub has no running task, whether it succeeded or failed. */
  async settled(id: string): Promise<void> {
    await this.#last.get(id)?.catch(() => undefined);
  }

  /** Removes the copy of a hub. */
  remove(id: string): Promise<void> {
    this.#states.delete(id);
    return this.#inTurn(id, () => rm(join(this.#settings.folder, id), { recursive: true, force: true }));
  }

  async #fetch(id: string, source: HubSource, signal: AbortSignal): Promise<void> {
    const home = join(this.#settings.folder, id);
    await mkdir(home, { recursive: true });
    const work = await mkdtemp(join(home, '.fetch-'));
    try {
      const zip = await this.#zipOf(source, work, signal);
      const version = `v-${randomUUID()}`;
      const unpacked = join(work, version);
      await mkdir(unpacked);
      await unpackHub(zip, unpacked, signal);
      await rename(unpacked, join(home, version));
      await replaceLink(home, version, work);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  async #zipOf(source: HubSource, work: string, signal: AbortSignal): Promise<string> {
    const { remote, mostZipBytes } = this.#settings;
    if (source.kind === 'git') return (await fetchArchive(source, work, remote, signal)).zip;
    const zip = join(work, 'hub.zip');
    await downloadZip(source.url, zip, { ...remote, mostBytes: mostZipBytes }, signal);
    return zip;
  }

  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(id) ?? Promise.resolve()).then(work, work);
    this.#last.set(id, mine);
    const forget = (): void => {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    };
    mine.then(forget, forget);
    return mine;
  }
}

/** Keeps the previous copy for current readers, and deletes older ones. */
async function replaceLink(home: string, version: string, work: string): Promise<void> {
  const before = await readlink(join(home, CURRENT)).catch(() => undefined);
  const link = join(work, CURRENT);
  await symlink(version, link);
  await rename(link, join(home, CURRENT));
  const kept = new Set([CURRENT, version, before]);
  for (const name of await readdir(home)) {
    if (!kept.has(name) && name.startsWith('v-'))
      await rm(join(home, name), { recursive: true, force: true });
  }
}

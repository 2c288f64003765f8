/** Names and images of the index. */
import type { Descriptor } from '../manifest/descriptor.ts';
import { platformText } from '../reference/platform.ts';
import type { ImageConfig, Platform, StoredImage } from '../types.ts';
import type { StoreDatabase } from './database.ts';

/** A layer of an image. */
export interface ImageLayer {
  readonly blob: Descriptor;
  readonly diffId: string;
  readonly chainId: string;
}

/** What the index has of an image. */
export interface ImageRecord {
  readonly digest: string;
  readonly manifestSize: number;
  readonly config: Descriptor;
  readonly platform: Platform;
  readonly created?: string | undefined;
  readonly container: ImageConfig;
  readonly layers: readonly ImageLayer[];
}

/** An image with when it was used, and a name if it has any. */
interface IndexedImage {
  readonly record: ImageRecord;
  readonly usedAt: number;
}

const NAMED = `SELECT name.reference, image.record, image.stored_at, image.used_at
  FROM name JOIN image ON image.digest = name.digest`;

export class ImageIndex {
  readonly #database: StoreDatabase;
  readonly #now: () => number;

  constructor(database: StoreDatabase, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  find(reference: string, platform: Platform): StoredImage | undefined {
    const sql = `${NAMED} WHERE name.reference = ? AND name.platform = ?`;
    const row = this.#database.get(sql, reference, platformText(platform));
    return row && storedImage(row);
  }

  /** By the digest of the image itself, under any name that `isOf` takes. */
  findByDigest(digest: string, isOf: (reference: string) => boolean): StoredImage | undefined {
    const rows = this.#database.all(`${NAMED} WHERE image.digest = ?`, digest);
    const row = rows.find(({ reference }) => isOf(String(reference)));
    return row && storedImage(row);
  }

  list(): StoredImage[] {
    return this.#database.all(`${NAMED} ORDER BY name.reference, name.platform`).map(storedImage);
  }

  /** The digest that a name stood for when it was stored, of an index or of an image. */
  targetOf(reference: string, platform: Platform): string | undefined {
    const sql = 'SELECT target FROM name WHERE reference = ? AND platform = ?';
    const row = this.#database.get(sql, reference, platformText(platform));
    return row && String(row['target']);
  }

  record(digest: string): ImageRecord | undefined {
    const row = this.#database.get('SELECT record FROM image WHERE digest = ?', digest);
    return row && (JSON.parse(String(row['record'])) as ImageRecord);
  }

  all(): IndexedImage[] {
    return this.#database.all('SELECT record, used_at FROM image').map((row) => ({
      record: JSON.parse(String(row['record'])) as ImageRecord,
      usedAt: Number(row['used_at']),
    }));
  }

  /** Stores an image and gives it a name for its platform. To be called within a transaction, when all of its content is there. */
  put(record: ImageRecord, reference: string, platform: Platform, target: string): void {
    const now = this.#now();
    this.#database.run(
      'INSERT INTO image VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at',
      ...[record.digest, JSON.stringify(record), now, now],
    );
    this.#database.run(
      'INSERT OR REPLACE INTO name VALUES (?, ?, ?, ?)',
      ...[reference, platformText(platform), record.digest, target],
    );
  }

  touch(digest: string): void {
    this.#database.run('UPDATE image SET used_at = ? WHERE digest = ?', this.#now(), digest);
  }

  /** Names of an image. */
  namesOf(digest: string): string[] {
    const rows = this.#database.all('SELECT reference FROM name WHERE digest = ? ORDER BY reference', digest);
    return rows.map(({ reference }) => String(reference));
  }

  /** Digests of the images, one for each platform, that have a name. */
  digestsOf(reference: string): string[] {
    const rows = this.#database.all('SELECT digest FROM name WHERE reference = ?', reference);
    return rows.map(({ digest }) => String(digest));
  }

  removeName(reference: string): void {
    this.#database.run('DELETE FROM name WHERE reference = ?', reference);
  }

  /** Removes an image with its names. */
  remove(digest: string): void {
    this.#database.run('DELETE FROM name WHERE digest = ?', digest);
    this.#database.run('DELETE FROM image WHERE digest = ?', digest);
  }
}

/** Bytes that an image takes as it is stored: layers only, each once. */
function sizeOf({ layers }: ImageRecord): number {
  const sizes = new Map(layers.map(({ blob }) => [blob.digest, blob.size]));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

function storedImage(row: Readonly<Record<string, unknown>>): StoredImage {
  const record = JSON.parse(String(row['record'])) as ImageRecord;
  return {
    reference: String(row['reference']),
    digest: record.digest,
    configDigest: record.config.digest,
    platform: record.platform,
    size: sizeOf(record),
    config: record.container,
    created: record.created,
    storedAt: Number(row['stored_at']),
    usedAt: Number(row['used_at']),
  };
}

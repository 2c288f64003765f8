import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { RemoteError } from '../../remote/index.ts';
import { MOST_FILE_BYTES } from './hub-folder.ts';
import { type ArchiveEntry, placeEntries, type UnpackLimits } from './place-entries.ts';

const LIMITS: UnpackLimits = { files: 10_000, bytes: 64 * 1024 * 1024, fileBytes: MOST_FILE_BYTES };

/** Maximum number of entries in an archive, selected or not. */
const MOST_ENTRIES = 100_000;

/**
 * Unpacks a hub from a zip file into a new folder. Checks the declared size of each entry first, and no entry becomes larger than that.
 *
 * @throws RemoteError for a file that is no zip, and for what {@link placeEntries} refuses · the signal's reason
 */
export async function unpackHub(zip: string, folder: string, signal: AbortSignal): Promise<void> {
  const archive = await openZip(zip);
  try {
    for (const { entry, path } of placeEntries(await entriesOf(archive), LIMITS)) {
      signal.throwIfAborted();
      const target = join(folder, ...path);
      await mkdir(dirname(target), { recursive: true });
      // The archive's reader fails if an entry is larger or smaller than declared.
      const content = await archive.openReadStreamPromise(entry.raw);
      await pipeline(content, createWriteStream(target, { flags: 'wx' }), { signal });
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RemoteError) throw error;
    throw new RemoteError(`the zip file cannot be unpacked: ${messageOf(error)}`, { cause: error });
  } finally {
    archive.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false, decodeStrings: false, lazyEntries: true });
  } catch (cause) {
    throw new RemoteError(`this is no zip file: ${messageOf(cause)}`, { cause });
  }
}

async function entriesOf(archive: ZipFile): Promise<(ArchiveEntry & { readonly raw: Entry })[]> {
  if (archive.entryCount > MOST_ENTRIES) {
    throw new RemoteError(
      `the zip file has ${archive.entryCount} entries; at most ${MOST_ENTRIES} are looked at`,
    );
  }
  const entries: (ArchiveEntry & { readonly raw: Entry })[] = [];
  for await (const raw of archive.eachEntry()) {
    const { generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize } = raw;
    entries.push({
      raw,
      // The raw name: otherwise the library would replace backslashes by slashes.
      name: getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true),
      size: uncompressedSize,
      fileType: (raw.externalFileAttributes >>> 16) & 0o170000,
    });
  }
  return entries;
}

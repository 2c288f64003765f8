import { RemoteError } from '../../remote/index.ts';
import { isHubName } from './names.ts';

/** The properties of an archive's entry that decide its place. */
export interface ArchiveEntry {
  readonly name: string;
  /** As declared, in bytes. */
  readonly size: number;
  /** Bits of a Unix file type; 0 if the archive has none. */
  readonly fileType: number;
}

/** Limits for an unpacked archive. */
export interface UnpackLimits {
  readonly files: number;
  readonly bytes: number;
  readonly fileBytes: number;
}

/** A file of the hub, its entry and its path as names. */
interface PlacedEntry<E> {
  readonly entry: E;
  readonly path: readonly string[];
}

const REGULAR = 0o100000;
const WANTED = /\.(?:ya?ml|png|svg)$/i;

/**
 * Selects the entries for the hub, with their paths: manifests and pictures below `faults/` and `experiments/`, at the top or in the
 * single folder with which archives of repositories begin. Skips everything else, including links. Pure.
 *
 * @throws RemoteError for an entry that would leave the hub, and beyond the limits
 */
export function placeEntries<E extends ArchiveEntry>(
  entries: readonly E[],
  limits: UnpackLimits,
): PlacedEntry<E>[] {
  const illegal = entries.find(({ name }) => isIllegal(name));
  if (illegal !== undefined) throw new RemoteError(`illegal file path: ${illegal.name.slice(0, 200)}`);
  const prefix = prefixOf(entries.map(({ name }) => name));
  if (prefix === undefined) {
    throw new RemoteError('this is no hub: it has neither a folder faults nor a folder experiments');
  }
  const placed = entries.flatMap((entry) => {
    const path = entry.name.slice(prefix.length).split('/');
    return entry.name.startsWith(prefix) && isWanted(entry, path) ? [{ entry, path }] : [];
  });
  const large = placed.find(({ entry }) => entry.size > limits.fileBytes);
  if (large !== undefined) {
    throw new RemoteError(
      `${large.path.join('/')} is larger than the ${limits.fileBytes} bytes that a file of a hub may have`,
    );
  }
  const bytes = placed.reduce((sum, { entry }) => sum + entry.size, 0);
  if (placed.length > limits.files || bytes > limits.bytes) {
    throw new RemoteError(
      `the hub has ${placed.length} files with ${bytes} bytes; at most ${limits.files} with ${limits.bytes} are taken`,
    );
  }
  return placed;
}

function isIllegal(name: string): boolean {
  return (
    name === '' ||
    name.startsWith('/') ||
    /^[A-Za-z]:/.test(name) ||
    name.includes('\\') ||
    name.includes('\0') ||
    name.split('/').includes('..')
  );
}

function prefixOf(names: readonly string[]): string | undefined {
  const isHub = (name: string): boolean => name.startsWith('faults/') || name.startsWith('experiments/');
  if (names.some(isHub)) return '';
  const tops = new Set(names.map((name) => name.slice(0, name.indexOf('/') + 1)));
  return [...tops].find(
    (top) => top !== '' && names.some((name) => name.startsWith(top) && isHub(name.slice(top.length))),
  );
}

function isWanted({ fileType }: ArchiveEntry, path: readonly string[]): boolean {
  const [top] = path;
  return (
    (top === 'faults' || top === 'experiments') &&
    path.length <= 6 &&
    path.every(isHubName) &&
    WANTED.test(path.at(-1) ?? '') &&
    (fileType === 0 || fileType === REGULAR)
  );
}

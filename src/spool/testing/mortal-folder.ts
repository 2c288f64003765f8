import type { SpoolFile, SpoolFolder } from '../folder.ts';

/** The process was killed here. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * A folder whose process is killed before its nth step: that step and all later ones fail, and of a write that it meets only the first
 * half is done. What was done before stays, as the machine goes on.
 */
export function mortalFolder(
  folder: SpoolFolder,
  lastStep: number,
): SpoolFolder & { closeAll(): Promise<void> } {
  let steps = 0;
  const opened = new Set<SpoolFile>();
  const step = async <T>(work: () => Promise<T>, half?: () => Promise<void>): Promise<T> => {
    steps += 1;
    if (steps === lastStep) await half?.();
    if (steps >= lastStep) throw new Killed(`killed at step ${lastStep}`);
    return work();
  };
  const file = (inner: SpoolFile): SpoolFile => ({
    size: () => inner.size(),
    read: (position, length) => inner.read(position, length),
    write: (bytes, position) =>
      step(
        () => inner.write(bytes, position),
        () => inner.write(bytes.subarray(0, bytes.length / 2), position),
      ),
    truncate: (length) => step(() => inner.truncate(length)),
    sync: () => step(() => inner.sync()),
    close: async () => {
      opened.delete(inner);
      await inner.close();
    },
  });
  return {
    open: async (name) => {
      const inner = await step(() => folder.open(name));
      opened.add(inner);
      return file(inner);
    },
    rename: (from, to) => step(() => folder.rename(from, to)),
    copy: (from, to) => step(() => folder.copy(from, to)),
    remove: (name) => step(() => folder.remove(name)),
    sync: () => step(() => folder.sync()),
    // As the kernel does with the files of a dead process.
    closeAll: async () => {
      for (const inner of opened) await inner.close();
    },
  };
}

import type { ImageStore, Platform } from '@turnsole/cluster/images/types';
import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import { withArchiveOf } from '../../image/archive-of.ts';
import { humanBytes } from '../../image/human-bytes.ts';
import { ProgressLine } from '../../image/image-progress.ts';
import { withStore } from '../../image/with-store.ts';

export interface LoadOptions {
  readonly imageFrom?: string;
  readonly name?: string;
  readonly platform?: Platform;
}

/** `turnsole image load`. */
export async function run(sources: readonly string[], options: LoadOptions): Promise<number> {
  const { imageFrom, name } = options;
  if (name !== undefined && sources.length > 1) {
    throw new CommandError('--name is for one archive; load them one after the other', 'OPTION_INVALID');
  }
  await withStore(async (store, signal) => {
    for (const source of sources) {
      if (imageFrom === undefined) await load(store, source, options, signal);
      else
        await withArchiveOf(imageFrom, source, signal, (file) => load(store, file, options, signal, source));
    }
  });
  return EXIT.pass;
}

async function load(
  store: ImageStore,
  path: string,
  { name, platform }: LoadOptions,
  signal: AbortSignal,
  shown = path,
): Promise<void> {
  using line = new ProgressLine();
  const images = await store.load(path, { name, platform, signal, onProgress: line.show.bind(line, shown) });
  for (const { reference, digest, size } of images) {
    console.log(`${reference} is there: ${digest}, ${humanBytes(size)}`);
  }
}

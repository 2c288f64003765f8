import type { Platform } from '@turnsole/cluster/images/types';
import { EXIT } from '../../../process/exit-codes.ts';
import { humanBytes } from '../../image/human-bytes.ts';
import { ProgressLine } from '../../image/image-progress.ts';
import { withStore } from '../../image/with-store.ts';

export interface PullOptions {
  readonly platform?: Platform;
}

/** `turnsole image pull`. */
export async function run(names: readonly string[], { platform }: PullOptions): Promise<number> {
  await withStore(async (store, signal) => {
    for (const name of names) {
      using line = new ProgressLine();
      const onProgress = line.show.bind(line, name);
      const { reference, digest, size } = await store.pull(name, { platform, signal, onProgress });
      console.log(`${reference} is there: ${digest}, ${humanBytes(size)}`);
    }
  });
  return EXIT.pass;
}

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ImageStore, Platform } from '@turnsole/cluster/images/types';
import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import { humanBytes } from '../../image/human-bytes.ts';
import { IMAGE_PROGRAMS } from '../../image/image-programs.ts';
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
      else await loadFrom(imageFrom, store, source, options, signal);
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

/** Has another program write an image into a file of the temporary folder, and loads that. */
async function loadFrom(
  program: string,
  store: ImageStore,
  name: string,
  options: LoadOptions,
  signal: AbortSignal,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-image-'));
  try {
    const file = join(folder, 'image.tar');
    const [command = '', ...args] = IMAGE_PROGRAMS[program]?.(name, file) ?? [];
    try {
      await promisify(execFile)(command, args, { signal });
    } catch (error) {
      if (signal.aborted) throw error;
      const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string };
      const why = code === 'ENOENT' ? `${command} is not installed` : stderr.trim() || message;
      throw new CommandError(`cannot take ${name} from ${program}: ${why}`, 'IMAGE_FAILED', { cause: error });
    }
    await load(store, file, options, signal, name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

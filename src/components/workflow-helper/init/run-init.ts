import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import type { HelperContext } from '../context.ts';
import { HelperError } from '../failure.ts';

/** Puts the shell into its place, and the input artifacts to theirs. */
export async function runInit(order: NodeOrder, context: HelperContext): Promise<void> {
  await putShell(context);
  if (order.artifacts.inputs.length === 0) return;
  const { fetchInputs } = await import('./fetch-inputs.ts');
  await fetchInputs(order, context);
}

/**
 * The static BusyBox of our image, which runs in any other. Where pods run on a machine that has none, its own tools stand in: their images
 * are programs of that machine.
 */
async function putShell({ places, env }: HelperContext): Promise<void> {
  const target = join(places.home, 'bin', 'busybox');
  const source = env['TURNSOLE_BUSYBOX'] || '/bin/busybox';
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  if (source === 'host') {
    await writeFile(`${target}.new`, '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  } else {
    try {
      await copyFile(source, `${target}.new`);
    } catch (cause) {
      throw new HelperError(
        `the shell ${source} cannot be copied to ${target}: the image of the helper needs a static busybox, or TURNSOLE_BUSYBOX has to say where it is`,
        { cause },
      );
    }
  }
  // A container that is started again finds a whole shell, also while another still runs it.
  await rename(`${target}.new`, target);
}

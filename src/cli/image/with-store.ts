import { ImageError } from '@turnsole/cluster/images/errors';
import { openImageStore } from '@turnsole/cluster/images/open-image-store';
import type { ImageStore, RemovedImages } from '@turnsole/cluster/images/types';
import { CommandError } from '../../services/errors.ts';
import { stoppable } from '../stoppable.ts';
import { humanBytes } from './human-bytes.ts';

/** Failures of the input, and not of a registry or this machine. */
const BAD_INPUT = [
  'invalid-reference',
  'not-found',
  'no-platform',
  'unsupported',
  'refused',
  'wrong-content',
];

/**
 * Does something with the user's image store, and closes it.
 *
 * @throws CommandError IMAGE_REFUSED or IMAGE_FAILED for what the store cannot do; STOPPED
 */
export async function withStore<T>(work: (store: ImageStore, signal: AbortSignal) => Promise<T>): Promise<T> {
  return await stoppable('what has come is gone on with the next time', (signal) =>
    onStore((store) => work(store, signal)),
  );
}

/** As {@link withStore}, for commands that are stopped in ways of their own. */
export async function onStore<T>(work: (store: ImageStore) => Promise<T>): Promise<T> {
  try {
    const store = await openImageStore({ onNote: (sentence) => console.error(sentence) });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    const code = BAD_INPUT.includes(error.code) ? 'IMAGE_REFUSED' : 'IMAGE_FAILED';
    throw new CommandError(error.message, code, { cause: error });
  }
}

/** Says what was removed, and what stays. */
export function printRemoved({ references, inUse, freedBytes }: RemovedImages): void {
  for (const name of references) console.log(`removed ${name}`);
  for (const name of inUse) console.log(`${name} stays: pods run it`);
  console.log(`${humanBytes(freedBytes)} are free`);
}

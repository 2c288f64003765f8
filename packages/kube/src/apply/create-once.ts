import { isAlreadyExists, unless } from '../client/errors.ts';
import type { WriteOptions } from '../client/types.ts';

/**
 * Creates an object whose name was drawn for it, or follows from what it is for: one that is there already was made by an earlier try,
 * whose answer was lost. Asked again where a connection breaks.
 *
 * @param create one attempt
 */
export async function createOnce(
  create: (options: WriteOptions) => Promise<unknown>,
  options: Omit<WriteOptions, 'repeatable'>,
): Promise<void> {
  await unless(isAlreadyExists, create({ ...options, repeatable: true }));
}

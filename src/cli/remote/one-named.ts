import { CommandError } from '../../services/errors.ts';
import { printable } from './print-rows.ts';
import type { Row } from './views.ts';

/**
 * The row of that ID, else of that name. Pure.
 *
 * @param noun what the rows are, for messages
 * @throws CommandError when there is none, with the names that there are, or several of that name
 */
export function oneNamed<R extends Row>(
  rows: readonly R[],
  wanted: string,
  { noun, id }: { readonly noun: string; readonly id: keyof R & string },
): R {
  const byId = rows.find((row) => row[id] === wanted);
  if (byId !== undefined) return byId;
  const named = rows.filter(({ name }) => name === wanted);
  const [first, ...others] = named;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined) {
    const ids = named.map((row) => printable(row[id])).join(', ');
    throw new CommandError(
      `there are ${named.length} of the name ${JSON.stringify(wanted)}: give the ID of one ${noun}: ${ids}`,
      'OPTION_INVALID',
    );
  }
  const names = rows.map(({ name }) => printable(name)).join(', ');
  throw new CommandError(
    `there is no ${noun} ${JSON.stringify(wanted)}; there are: ${names || 'none'}`,
    'NOT_FOUND',
  );
}

import { TargetSelectionError } from '../../experiment/injection/errors.ts';

/** What settings mean. */
export interface Selection {
  /** Names that begin with the account: `123456789012/eu-west-1/i-0abc`. */
  readonly names: readonly string[];
  /** What was looked for, for messages: `running instances with tag app:web in 123456789012/eu-west-1`. */
  readonly what: string;
  /** How many there are of the kind in that place; absent where each was named by its user. */
  readonly all?: number;
}

/**
 * Refuses a selection that cannot be meant.
 *
 * @throws TargetSelectionError when it is empty, or has everything there is without the user's word for it
 */
export function refuseUnmeant({ names, what, all }: Selection, allowAll: boolean): void {
  if (names.length === 0) throw new TargetSelectionError(`there are no ${what}`);
  if (allowAll || all === undefined || names.length < all) return;
  throw new TargetSelectionError(
    `${what}: these are all ${all} that the account has there; choose fewer, or set ALLOW_ALL_INSTANCES to "true" if that is meant`,
  );
}

import type { TunableSchema, Tunables } from '../../../experiment/injection/tunables.ts';
import type { Selection } from '../guard.ts';
import type { CallContext } from '../resource-fault.ts';
import type { ResourceTunables } from '../tunables.ts';
import { type AwsApi, openAwsApi } from './aws-api.ts';
import { AWS_CREDENTIALS, type AwsTunables, regionOf, regionProblems } from './tunables.ts';

/** What is different between a fault that takes ids and one that takes a tag. */
export interface Choice<S extends TunableSchema> {
  readonly tunables: S;
  choose(api: AwsApi, settings: Tunables<S>, context: CallContext): Promise<Selection>;
}

/** Settings that a fault has beside its choice. */
type Settings<T extends TunableSchema> = Tunables<T> & Tunables<AwsTunables> & Tunables<ResourceTunables>;

/**
 * The parts of a fault of AWS that follow from how its resources are chosen, and from the actions that it calls.
 *
 * @typeParam T settings of its own, the same for ids and for a tag, which `settingsOf` gives
 */
export function partsOf<S extends TunableSchema, T extends TunableSchema = Record<never, never>>(
  { choose }: Choice<S>,
  calls: readonly string[],
) {
  // The fault's table has these settings.
  const chosen = (settings: Tunables<TunableSchema>): Tunables<S> => settings as unknown as Tunables<S>;
  const settingsOf = (settings: Tunables<TunableSchema>): Settings<T> => settings as unknown as Settings<T>;
  const parts = {
    calls,
    credentials: AWS_CREDENTIALS,
    validate: (settings: Tunables<TunableSchema>) => regionProblems(settingsOf(settings)),
    open: (settings: Tunables<TunableSchema>) =>
      openAwsApi(settingsOf(settings), regionOf(settingsOf(settings)), calls),
    select: (api: AwsApi, settings: Tunables<TunableSchema>, context: CallContext) =>
      choose(api, chosen(settings), context),
  };
  return { parts, settingsOf };
}

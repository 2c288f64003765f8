import type { TunableProblem } from '../../../experiment/injection/settings/parse-tunables.ts';
import type { TunableSchema, Tunables } from '../../../experiment/injection/tunables.ts';
import type { Selection } from '../guard.ts';
import type { CallContext } from '../resource-fault.ts';
import { type GcpApi, openGcpApi } from './gcp-api.ts';
import { GCP_CREDENTIALS, type GcpTunables } from './tunables.ts';

type Settings<S extends TunableSchema> = Tunables<S> & Tunables<GcpTunables>;

/** What is different between a fault that takes names and one that takes a label. */
export interface Choice<S extends TunableSchema> {
  readonly tunables: S;
  validate(settings: Settings<S>): readonly TunableProblem[];
  choose(api: GcpApi, settings: Settings<S>, context: CallContext): Promise<Selection>;
}

/** The parts of a fault of GCP that follow from how its resources are chosen, and from the permissions that it takes. */
export function partsOf<S extends TunableSchema>(own: Choice<S>, calls: readonly string[]) {
  // The fault's table has these settings.
  const typed = (settings: Tunables<TunableSchema>): Settings<S> => settings as unknown as Settings<S>;
  return {
    calls,
    credentials: GCP_CREDENTIALS,
    validate: (settings: Tunables<TunableSchema>) => own.validate(typed(settings)),
    open: (settings: Tunables<TunableSchema>) => openGcpApi(typed(settings), calls),
    select: (api: GcpApi, settings: Tunables<TunableSchema>, context: CallContext) =>
      own.choose(api, typed(settings), context),
  };
}

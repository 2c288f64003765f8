import type { Context } from '../access/context.ts';
import { memberOf } from '../access/context.ts';
import type { InfraEventResponse } from '../schema/generated/types.ts';
import { followChanges, latestChange } from '../store/changes.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import type { Tx } from '../store/transaction.ts';
import { asInfra, infraRow } from './infras.ts';

/** An event of an infrastructure, in upstream's words. */
interface InfraEvent {
  readonly eventType: 'infra-registration' | 'infra-status';
  readonly eventName: string;
  readonly description: string;
}

export const NEW_INFRA: InfraEvent = {
  eventType: 'infra-registration',
  eventName: 'New Infra',
  description: 'New Infra Registration',
};
export const INFRA_LIVE: InfraEvent = {
  eventType: 'infra-status',
  eventName: 'Infra Live',
  description: 'Infra is Live and Connected',
};
export const INFRA_OFFLINE: InfraEvent = {
  eventType: 'infra-status',
  eventName: 'Infra Offline',
  description: 'Infra Disconnect',
};

/** The change that brings an event to watchers of the project. */
export function infraChange(
  { project_id, id }: Pick<InfraRow, 'project_id' | 'id'>,
  event: InfraEvent,
): Parameters<Tx['change']>[0] {
  return { project: project_id, kind: 'infra', id, body: { event } };
}

/** Events of a project's infrastructures from now on. */
export async function* infraEvents(context: Context): AsyncGenerator<InfraEventResponse> {
  const { store, settings } = context.plane;
  const { project } = memberOf(context);
  const since = await latestChange(store, project);
  for await (const changes of followChanges(store, project, since, context.signal)) {
    for (const { seq, kind, id, body } of changes) {
      if (kind !== 'infra' || body.event === undefined) continue;
      const row = await infraRow(store.read, id);
      // Written by infraChange.
      const event = body.event as InfraEvent;
      if (row !== undefined) yield { eventID: `${seq}`, ...event, infra: asInfra(row, settings.version, '') };
    }
  }
}

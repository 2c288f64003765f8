import type { Context } from '../access/context.ts';
import { memberOf } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import type { ProjectChanges } from '../schema/generated/types.ts';
import { followChanges, latestChange } from '../store/changes.ts';
import { RECORD_CHANGE } from './records/receive-record.ts';

/** Changes in the caller's project: first the current cursor, then the changes after `since`, then new ones. */
export async function* projectChanges(
  since: string | null | undefined,
  context: Context,
): AsyncGenerator<ProjectChanges> {
  const { store } = context.plane;
  const { project } = memberOf(context);
  const start = since ? cursorOf(since) : await latestChange(store, project);
  yield { cursor: `${start}`, changes: [] };
  for await (const changes of followChanges(store, project, start, context.signal)) {
    // These are for watchers of a run; lists do not show them.
    const shown = changes.filter(({ kind }) => kind !== RECORD_CHANGE);
    if (shown.length === 0) continue;
    yield {
      cursor: `${changes.at(-1)?.seq ?? start}`,
      changes: shown.map(({ kind, id, body }) => ({
        kind,
        id: kind === 'run' ? runNameIn(body) || id : id,
      })),
    };
  }
}

function cursorOf(text: string): number {
  const cursor = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(cursor)) return cursor;
  throw new Refusal('invalid', `since must be a cursor that watchProject gave, not ${JSON.stringify(text)}`, {
    fields: ['since'],
  });
}

/** The run's id for readers, from the body of the change. */
function runNameIn(body: Readonly<Record<string, unknown>>): string {
  return String(body.experimentRunID || body.notifyID || '');
}

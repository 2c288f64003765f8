import type { Context } from '../access/context.ts';
import { memberOf } from '../access/context.ts';
import { found } from '../access/refusal.ts';
import { followChanges, latestChange } from '../store/changes.ts';
import { listedRun } from './list-runs.ts';
import { RECORD_CHANGE } from './records/receive-record.ts';
import type { ListedRun } from './run-answers.ts';
import type { RunNames } from './run-rows.ts';

/** A run now and after each change, also whether its agent is away; ends when it is deleted. Refuses a run that the project does not have. */
export async function* runAsItChanges(names: RunNames, context: Context): AsyncGenerator<ListedRun> {
  const { store } = context.plane;
  const { project } = memberOf(context);
  // Read before the run: a change in between is sent twice rather than never.
  const since = await latestChange(store, project);
  const first = found(await listedRun(store.read, project, names), 'no matching experiment run');
  yield first;
  for await (const changes of followChanges(store, project, since, context.signal)) {
    const isOfRun = ({ kind, id }: (typeof changes)[number]): boolean =>
      kind === 'infra'
        ? id === first.infra_id
        : (kind === 'run' || kind === RECORD_CHANGE) && id === first.key;
    if (!changes.some(isOfRun)) continue;
    const row = await listedRun(store.read, project, names);
    if (row === undefined) return;
    yield row;
  }
}

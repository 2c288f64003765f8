import { recordChange } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { packText } from '../store/packed-text.ts';
import { projectScope } from '../store/store.ts';
import { authorOf } from './author.ts';
import { experimentRow, infraOf, latestRevision } from './experiment-rows.ts';
import { followSchedule } from './follow-schedule.ts';
import { isSchedule, withSuspended } from './manifest/prepare-run.ts';
import { readStored } from './manifest/read-manifest.ts';
import { refuseHalted } from './refuse-halted.ts';

/** Suspends or resumes the schedule of an experiment, in its newest revision and at the agent that has it. @throws Refusal */
export async function setSuspended(id: string, isSuspended: boolean, context: Context): Promise<void> {
  const author = authorOf(context);
  const { project, username } = author;
  await context.transaction(projectScope(project), async (tx) => {
    const row = await experimentRow(tx.db, project, id);
    const infra = await infraOf(tx.db, project, row.infra_id);
    if (infra?.active !== 1) {
      const sentence = `cron experiement updation failed due to inactive infra, err: infrastructure ${row.infra_id} is not connected`;
      throw new Refusal('conflict', sentence);
    }
    if (!isSuspended) await refuseHalted(tx.db, infra, 'schedule');
    const manifest = readStored((await latestRevision(tx.db, row)).manifest);
    if (!isSchedule(manifest)) {
      throw new Refusal(
        'invalid',
        `cannot change the schedule of experiment ${id}: it is a ${manifest.kind} and has none`,
      );
    }
    const object = withSuspended(manifest, isSuspended);
    await followSchedule(tx, context, author, {
      row,
      infraID: row.infra_id,
      after: { ...manifest, object },
    });
    await tx.db
      .updateTable('revisions')
      .set({ manifest: packText(JSON.stringify(object)) })
      .where('id', '=', row.revision_id)
      .execute();
    await tx.db
      .updateTable('experiments')
      .set({ updated_at: tx.now, updated_by: username })
      .where('project_id', '=', project)
      .where('id', '=', id)
      .execute();
    await recordChange(tx, context, { project, kind: 'experiment', id, after: { suspended: isSuspended } });
  });
}

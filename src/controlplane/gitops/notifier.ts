import { agentOf, type Context } from '../access/context.ts';
import { found } from '../access/refusal.ts';
import { authorOf } from '../experiment/author.ts';
import { anyExperiment } from '../experiment/experiment-rows.ts';
import { beginRun } from '../experiment/run-experiment.ts';
import { projectScope } from '../store/store.ts';
import { gitContext } from './git-context.ts';
import { gitRow } from './git-rows.ts';

/** Upstream's answer for a project without a repository, which event trackers know. */
const DISABLED = 'GitOps Disabled';

/**
 * Runs the experiment that a changed workload names, on request of an event tracker. Does not start a schedule, which runs by itself.
 *
 * @throws Refusal for an experiment of another agent
 */
export async function notifyGitOps(experimentID: string, context: Context): Promise<string> {
  const { plane } = context;
  const { project, infra } = agentOf(context);
  if ((await gitRow(plane.store.read, project)) === undefined) return DISABLED;
  const inProject = gitContext(plane, project, context.operation, context.signal);
  await plane.store.transaction(projectScope(project), async (tx) => {
    const row = await anyExperiment(tx.db, project, experimentID);
    const own = found(
      row?.removed === 0 && row.infra_id === infra ? row : undefined,
      'no such experiment found',
    );
    if (own.type === 'cronexperiment' || own.type === 'chaosschedule') return;
    // The run belongs to git-ops, as with upstream; the audit log names the requesting agent and its address.
    const { caller, origin } = context;
    await beginRun(tx, own, authorOf(inProject), { ...inProject, caller, origin });
  });
  return `Request Acknowledged for experimentID: ${experimentID}`;
}

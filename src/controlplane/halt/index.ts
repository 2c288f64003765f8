import { type Context, memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import type { ChaosHalt } from '../schema/generated/types.ts';
import { haltStatus } from './halt-status.ts';
import { moveLevers } from './move-levers.ts';
import { stopAllRuns } from './stop-all-runs.ts';

/** The safety lever of projects: one action stops all chaos, and shows the outcome per cluster. */
export const haltNoun: Noun = {
  queries: {
    haltStatus: (_args, context) => haltStatus(context.plane.store.read, memberOf(context).project),
    haltStatusOfAll: (_args, context) => haltStatus(context.plane.store.read, undefined),
  },
  mutations: {
    haltChaos: async ({ reason }, context) => {
      const { project } = memberOf(context);
      await halt(project, reason, context);
      return haltStatus(context.plane.store.read, project);
    },
    resumeChaos: async (_args, context) => {
      const { project } = memberOf(context);
      await moveLevers({ project, halts: false, reason: '' }, context);
      return haltStatus(context.plane.store.read, project);
    },
    haltAllChaos: ({ reason }, context) => inAll(context, (project) => halt(project, reason, context)),
    resumeAllChaos: (_args, context) =>
      inAll(context, (project) => moveLevers({ project, halts: false, reason: '' }, context)),
  },
};

/** Pulls the levers first: they hold engines that start while runs are being stopped. */
async function halt(project: string, reason: string, context: Context): Promise<void> {
  await moveLevers({ project, halts: true, reason }, context);
  await stopAllRuns(project, context);
}

async function inAll(context: Context, work: (project: string) => Promise<void>): Promise<ChaosHalt[]> {
  const { read } = context.plane.store;
  const projects = await read
    .selectFrom('infras')
    .select('project_id')
    .distinct()
    .where('removed', '=', 0)
    .execute();
  for (const { project_id } of projects) await work(project_id);
  return haltStatus(read, undefined);
}

import { audit } from '../access/audit.ts';
import { type Context, memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { found } from '../access/refusal.ts';
import { projectScope } from '../store/store.ts';
import { asGitConfig, gitRow } from './git-rows.ts';
import { notifyGitOps } from './notifier.ts';
import { disableGitOps, enableGitOps, updateGitOps } from './set-up.ts';
import { syncProject } from './sync.ts';
import { syncDue } from './sync-due.ts';

/** How often the duty looks for due repositories. */
const ASK_MS = 5_000;

/** GitOps: repositories with the experiments of projects, and runs that event trackers request. */
export const gitopsNoun: Noun = {
  queries: {
    getGitOpsDetails: async (_args, context) => {
      const { project } = memberOf(context);
      return asGitConfig(project, await gitRow(context.plane.store.read, project));
    },
  },
  mutations: {
    enableGitOps: async ({ configurations }, context) => {
      await enableGitOps(configurations, context);
      return true;
    },
    updateGitOps: async ({ configurations }, context) => {
      await updateGitOps(configurations, context);
      return true;
    },
    disableGitOps: async (_args, context) => {
      await disableGitOps(context);
      return true;
    },
    syncGitOps: async (_args, context) => {
      const { project } = memberOf(context);
      await syncNow(context);
      return asGitConfig(project, await gitRow(context.plane.store.read, project));
    },
    gitopsNotifier: ({ experimentID }, context) => notifyGitOps(experimentID, context),
  },
  duties: [{ name: 'follow repositories', everyMs: ASK_MS, run: syncDue }],
};

async function syncNow(context: Context): Promise<void> {
  const { project } = memberOf(context);
  const { store } = context.plane;
  found(await gitRow(store.read, project), 'GitOps Disabled ');
  await syncProject(context.plane, project);
  await context.transaction(projectScope(project), (tx) =>
    audit(tx, context, { project, kind: 'gitops', id: project }),
  );
}

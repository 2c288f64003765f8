import { memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { found } from '../access/refusal.ts';
import { deleteEnvironment, updateEnvironment } from './change-environment.ts';
import { createEnvironment } from './create-environment.ts';
import { asEnvironment, environmentPage, environmentRow, infraIdsOf } from './environments.ts';

/** Environments: named groups of the infrastructures of a project. */
export const environmentNoun: Noun = {
  queries: {
    getEnvironment: async ({ environmentID }, context) => {
      const { project } = memberOf(context);
      const db = context.plane.store.read;
      // An error as upstream's, since its command line tool does not look for null.
      const row = found(
        await environmentRow(db, project, environmentID),
        `no environment ${environmentID} in this project`,
      );
      const infras = await infraIdsOf(db, project, [row.id]);
      return asEnvironment(row, infras.get(row.id));
    },
    listEnvironments: async ({ request }, context) => {
      const { project } = memberOf(context);
      const db = context.plane.store.read;
      const { total, rows } = await environmentPage(db, project, request);
      const infras = await infraIdsOf(
        db,
        project,
        rows.map(({ id }) => id),
      );
      return {
        totalNoOfEnvironments: total,
        environments: rows.map((row) => asEnvironment(row, infras.get(row.id))),
      };
    },
  },
  mutations: {
    createEnvironment: ({ request }, context) => createEnvironment(request, context),
    updateEnvironment: async ({ request }, context) => {
      await updateEnvironment(request, context);
      return 'environment updated successfully';
    },
    deleteEnvironment: async ({ environmentID }, context) => {
      await deleteEnvironment(environmentID, context);
      return 'successfully deleted environment';
    },
  },
};

import { memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { found } from '../access/refusal.ts';
import { addProbe } from './add-probe.ts';
import { deleteProbe, updateProbe } from './change-probe.ts';
import { executionsByFault, recentExecutions } from './executions-of.ts';
import { probesMatching } from './list-probes.ts';
import { entryOf } from './manifest-probe.ts';
import { asProbe } from './probe-answers.ts';
import { keptProbe, probeRow } from './probe-rows.ts';
import { tryProbe } from './try-probe.ts';
import { withUnits } from './units.ts';

/** Probes of a project. */
export const probeNoun: Noun = {
  queries: {
    listProbes: async ({ probeNames, filter }, context) => {
      const { project } = memberOf(context);
      return (await probesMatching(context.plane.store.read, project, probeNames, filter)).map(asProbe);
    },
    getProbe: async ({ probeName }, context) => {
      const { project } = memberOf(context);
      const row = await probeRow(context.plane.store.read, project, probeName);
      return asProbe(found(row, `no probe ${probeName} in this project`));
    },
    getProbeYAML: async ({ request: { probeName, mode } }, context) => {
      const { project } = memberOf(context);
      const row = await probeRow(context.plane.store.read, project, probeName);
      const probe = keptProbe(found(row, `no probe ${probeName} in this project`));
      return JSON.stringify(withUnits(entryOf(probe, mode)));
    },
    getProbeReference: async ({ probeName }, context) => {
      const { project } = memberOf(context);
      const db = context.plane.store.read;
      const row = found(await probeRow(db, project, probeName), `no probe ${probeName} in this project`);
      return {
        projectID: project,
        name: row.name,
        totalRuns: row.executions,
        recentExecutions: await executionsByFault(db, project, row.name),
      };
    },
    validateUniqueProbe: async ({ probeName }, context) => {
      const { project } = memberOf(context);
      return (await probeRow(context.plane.store.read, project, probeName)) === undefined;
    },
  },
  mutations: {
    addProbe: ({ request }, context) => addProbe(request, context),
    updateProbe: async ({ request }, context) => {
      await updateProbe(request, context);
      return 'Updated successfully';
    },
    tryProbe: ({ infraID, request }, context) => tryProbe(infraID, request, context),
    deleteProbe: async ({ probeName }, context) => {
      await deleteProbe(probeName, context);
      return true;
    },
  },
  types: {
    Probe: {
      recentExecutions: ({ projectID, name }, _args, { plane }) =>
        recentExecutions(plane.store.read, projectID, name),
    },
  },
};

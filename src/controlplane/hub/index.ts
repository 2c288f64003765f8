import { memberOf, userOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { deleteHub, syncHub, updateHub } from './change-hub.ts';
import { readCharts, readExperiments } from './content/read-hub.ts';
import { addHub, addRemoteHub, saveHub } from './create-hub.ts';
import { asHub, hubRows } from './hubs.ts';
import { defaultIcon, projectIcon } from './icons.ts';
import { getFault, getHub, listHubs, openHub } from './read-hubs.ts';
import { refreshHubs } from './refresh-hubs.ts';
import { SshKeys } from './ssh-keys.ts';

const SIX_HOURS_MS = 6 * 3_600_000;
const sshKeys = new SshKeys();

/** Hubs: collections of faults and experiments. */
export const hubNoun: Noun = {
  queries: {
    listChaosHub: ({ request }, context) => listHubs(request, context),
    getChaosHub: ({ chaosHubID }, context) => getHub(chaosHubID, context),
    getChaosHubStats: async (_args, context) => {
      const rows = await hubRows(context.plane.store.read, memberOf(context).project);
      return { totalChaosHubs: rows.length + 1 };
    },
    listChaosFaults: async ({ hubID }, context) => readCharts(await openHub(hubID, context)),
    getChaosFault: ({ request }, context) => getFault(request, context),
    listPredefinedExperiments: async ({ hubID }, context) => readExperiments(await openHub(hubID, context)),
    getPredefinedExperiment: async ({ hubID, experimentName }, context) => {
      const names = experimentName.filter((name) => name !== null);
      return readExperiments(await openHub(hubID, context), names);
    },
  },
  mutations: {
    addChaosHub: ({ request }, context) => addHub(request, context),
    addRemoteChaosHub: ({ request }, context) => addRemoteHub(request, context),
    saveChaosHub: async ({ request }, context) => asHub(await saveHub(request, context)),
    updateChaosHub: ({ request }, context) => updateHub(request, context),
    deleteChaosHub: async ({ hubID }, context) => {
      await deleteHub(hubID, context);
      return true;
    },
    syncChaosHub: async ({ id }, context) => {
      await syncHub(id, context);
      return 'Successfully synced ChaosHub';
    },
    generateSSHKey: (_args, context) => sshKeys.make(userOf(context).id, context.plane.clock.now()),
  },
  routes: {
    'GET /icon/default/:hubName/:chartName/:iconName': defaultIcon,
    'GET /icon/:project_id/:hubName/:chartName/:iconName': projectIcon,
  },
  duties: [{ name: 'read hubs again', everyMs: SIX_HOURS_MS, run: refreshHubs }],
};

import { type Context, memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { richAnswer } from '../http/rest.ts';
import type {
  Infra,
  SubscriptionGetKubeNamespaceArgs,
  SubscriptionGetKubeObjectArgs,
  SubscriptionGetPodLogArgs,
} from '../schema/generated/types.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import { connectionDuties } from './connection/duties.ts';
import { infraConnect } from './connection/infra-connect.ts';
import { deleteInfra } from './delete-infra.ts';
import { infraEvents } from './infra-events.ts';
import { asInfra, infraPage, infraRowOf, infraStats } from './infras.ts';
import { keepReply } from './live/keep-reply.ts';
import { kubeNamespaces, kubeObjects } from './live/kube-lists.ts';
import { podLogs } from './live/pod-logs.ts';
import { manifestToken } from './manifest/manifest-token.ts';
import { manifestForKey, manifestForMember, manifestForToken } from './manifest/show-manifest.ts';
import { confirmInfra } from './registration/confirm-infra.ts';
import { registerInfra } from './registration/register-infra.ts';
import { rotateKey } from './registration/rotate-key.ts';
import { versionDetails } from './versions.ts';

/** Infrastructures: clusters and their agents. */
export const infraNoun: Noun = {
  queries: {
    listInfras: async ({ request }, context) => {
      const { total, rows } = await infraPage(context.plane.store.read, memberOf(context).project, request);
      return { totalNoOfInfras: total, infras: rows.map((row) => shown(row, context)) };
    },
    getInfra: ({ infraID }, context) => oneInfra(infraID, context),
    getInfraDetails: ({ infraID }, context) => oneInfra(infraID, context),
    getInfraManifest: ({ infraID }, context) => manifestForMember(infraID, context),
    getInfraStats: (_args, context) => infraStats(context.plane.store.read, memberOf(context).project),
    getVersionDetails: (_args, { plane }) => versionDetails(plane.settings),
    getServerVersion: (_args, { plane }) => ({ key: 'version', value: plane.settings.version }),
  },
  mutations: {
    registerInfra: ({ request, flavour }, context) => registerInfra(request, flavour ?? 'turnsole', context),
    deleteInfra: async ({ infraID }, context) => {
      await deleteInfra(infraID, context);
      return 'infra deleted successfully';
    },
    rotateInfraKey: ({ infraID, handOver }, context) => rotateKey(infraID, handOver ?? true, context),
    confirmInfraRegistration: ({ request }, context) => confirmInfra(request, context),
    agentReply: async ({ request: { requestID, reply } }, context) =>
      (await keepReply(requestID, reply, context)) ? 'reply kept' : 'nobody waits for this reply',
    podLog: async ({ request: { requestID, log } }, context) =>
      (await keepReply(requestID, log, context)) ? 'LOGS SENT SUCCESSFULLY' : 'LOG REQUEST CANCELLED',
    kubeObj: async ({ request: { requestID, kubeObj } }, context) => {
      await keepReply(requestID, kubeObj, context);
      return 'KubeData sent successfully';
    },
    kubeNamespace: async ({ request: { requestID, kubeNamespace } }, context) => {
      await keepReply(requestID, kubeNamespace, context);
      return 'KubeData sent successfully';
    },
    getManifestWithInfraID: ({ projectID, infraID, accessKey }, context) =>
      manifestForKey(projectID, infraID, accessKey, context),
  },
  subscriptions: {
    infraConnect,
    getPodLog: ({ request }: SubscriptionGetPodLogArgs, context) => podLogs(request, context),
    getKubeObject: ({ request }: SubscriptionGetKubeObjectArgs, context) => kubeObjects(request, context),
    getKubeNamespace: ({ request }: SubscriptionGetKubeNamespaceArgs, context) =>
      kubeNamespaces(request, context),
    getInfraEvents: (_args, context) => infraEvents(context),
  },
  duties: connectionDuties,
  routes: {
    'GET /file/:key': async ({ key }, context) => {
      const body = await manifestForToken(String(key), context);
      return richAnswer({ headers: { 'content-type': 'application/yaml; charset=utf-8' }, body });
    },
  },
};

async function oneInfra(infraID: string, context: Context): Promise<Infra> {
  return shown(await infraRowOf(context.plane.store.read, memberOf(context).project, infraID), context);
}

/** A Viewer gets no link to the manifest, since it contains the agent's key. */
function shown(row: InfraRow, context: Context): Infra {
  const { plane } = context;
  const token = memberOf(context).role === 'Viewer' ? '' : manifestToken(row.id, plane);
  return asInfra(row, plane.settings.version, token);
}

import type { Identity } from './agent-identity.ts';
import type { Role } from './caller.ts';

/** Arguments of an operation, checked against the schema only. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Who may call an operation. The project comes from its arguments, and each query restricts its objects to that project again. */
type Access =
  | { readonly by: 'anyone' }
  | { readonly by: 'signed-in' }
  /** A user who manages users; without rights in projects. */
  | { readonly by: 'admin' }
  | {
      /** Administrators for everything, and members for the project that the arguments name. */
      readonly by: 'admin-or-members';
      readonly roles: readonly Role[];
      readonly project: (args: Arguments) => string | undefined;
    }
  | {
      readonly by: 'members';
      readonly roles: readonly Role[];
      readonly project: (args: Arguments) => string;
    }
  | {
      /** Members of the project that this infrastructure belongs to. */
      readonly by: 'members-of-infra';
      readonly roles: readonly Role[];
      readonly infra: (args: Arguments) => string;
    }
  | {
      /** An agent, by its key. */
      readonly by: 'agent';
      readonly identity: (args: Arguments) => Identity;
      /** Also one whose infrastructure was deleted while it was offline: the server still has to order it to leave. */
      readonly leaving?: true;
    };

/** A row of the table: one operation. */
export interface Operation {
  /** Field of the schema's Query, Mutation or Subscription; for REST `METHOD /path`. */
  readonly name: string;
  readonly access: Access;
  /** Whether it writes a line of the audit log, as every change by a user does. */
  readonly audited: boolean;
  /** True for the few operations that a user may call before replacing the initial password. */
  readonly withInitialPassword?: true;
  /** Calls per minute and address, for expensive REST operations. */
  readonly mostAMinute?: number;
}

const OWNER = ['Owner'] as const;
const WORKERS = ['Owner', 'Executor'] as const;
const ALL = ['Owner', 'Executor', 'Viewer'] as const;

const projectID = (args: Arguments): string => String(args.projectID);
const pathProject = (args: Arguments): string => String(args.project_id);
const members = (roles: readonly Role[], project = projectID): Access => ({ by: 'members', roles, project });
const agent = (identity: (args: Arguments) => unknown): Access & { readonly by: 'agent' } => ({
  by: 'agent',
  identity: (args) => identity(args) as Identity,
});
const itself = agent(({ request }) => request);
const ofCluster = agent(({ clusterInfo }) => clusterInfo);
const named = agent(({ request }) => (request as { infraID: unknown }).infraID);

const ofInfra: Access = {
  by: 'members-of-infra',
  roles: ALL,
  infra: ({ request }) => (request as { infraID: string }).infraID,
};
const adminOrOwner = (project: (args: Arguments) => string | undefined): Access => ({
  by: 'admin-or-members',
  roles: OWNER,
  project,
});

const row = (name: string, access: Access, audited = false): Operation => ({ name, access, audited });
const open = (name: string, audited = false): Operation => row(name, { by: 'anyone' }, audited);
const signedIn = (name: string, audited = false): Operation => row(name, { by: 'signed-in' }, audited);
const admin = (name: string, audited = false): Operation => row(name, { by: 'admin' }, audited);
const read = (name: string, roles: readonly Role[] = ALL): Operation => row(name, members(roles));
const change = (name: string, roles: readonly Role[] = OWNER): Operation => row(name, members(roles), true);

/**
 * Who may do what: every operation of the GraphQL schema has its row here, and the server does not start if one is missing. docs/control-plane.md
 * lists where this is stricter than upstream (which leaves hubs, versions, live data and infrastructure events open).
 */
export const GRAPHQL_OPERATIONS: readonly Operation[] = [
  // Agents.
  open('confirmInfraRegistration', true),
  open('getManifestWithInfraID'),
  row('infraConnect', { ...itself, leaving: true }),
  row('chaosExperimentRun', named),
  row('runRecord', named),
  row('infraActionResult', { ...named, leaving: true }),
  row('agentReply', named),
  row('podLog', named),
  row('kubeObj', named),
  row('kubeNamespace', named),
  row('gitopsNotifier', ofCluster, true),
  // Infrastructures.
  change('registerInfra'),
  read('listInfras'),
  read('getInfra'),
  read('getInfraDetails', WORKERS),
  read('getInfraManifest', WORKERS),
  change('deleteInfra'),
  change('rotateInfraKey'),
  read('getInfraStats', WORKERS),
  read('getVersionDetails'),
  open('getServerVersion'),
  read('getInfraEvents'),
  // It makes the agent send requests from inside a cluster.
  change('setInfraMetrics'),
  // The safety lever. An Executor may stop what an Executor may start.
  change('haltChaos', WORKERS),
  change('resumeChaos'),
  read('haltStatus'),
  admin('haltAllChaos', true),
  admin('resumeAllChaos', true),
  admin('haltStatusOfAll'),
  // Live data of clusters.
  row('getPodLog', ofInfra),
  row('getKubeObject', ofInfra),
  row('getKubeNamespace', ofInfra),
  // Experiments and runs.
  change('saveChaosExperiment'),
  change('createChaosExperiment'),
  change('updateChaosExperiment', WORKERS),
  read('getExperiment'),
  read('listExperiment'),
  read('getExperimentStats'),
  // Members who may not change or run experiments do not need plans of drafts.
  read('planManifest', WORKERS),
  change('runChaosExperiment', WORKERS),
  change('stopExperimentRuns', WORKERS),
  change('deleteChaosExperiment'),
  change('updateCronExperimentState'),
  read('listExperimentRun'),
  read('getExperimentRun'),
  read('watchRun'),
  read('getRunPods'),
  read('getRunPodLog'),
  read('getRunMetrics'),
  read('watchProject'),
  read('getExperimentRunStats'),
  read('getServiceTrends'),
  // Probes.
  change('addProbe'),
  change('updateProbe'),
  change('deleteProbe'),
  // Members who may create a probe may try it; it sends requests from inside a cluster.
  change('tryProbe'),
  read('listProbes'),
  read('getProbe'),
  read('getProbeYAML'),
  read('getProbeReference'),
  read('getProbesInExperimentRun'),
  read('validateUniqueProbe'),
  // Hubs.
  read('listChaosHub'),
  read('getChaosHub'),
  read('listChaosFaults'),
  read('getChaosFault'),
  read('listPredefinedExperiments'),
  read('getPredefinedExperiment'),
  read('getChaosHubStats'),
  change('addChaosHub'),
  change('addRemoteChaosHub'),
  change('saveChaosHub'),
  change('updateChaosHub'),
  change('deleteChaosHub'),
  change('syncChaosHub'),
  signedIn('generateSSHKey'),
  // Environments.
  change('createEnvironment'),
  change('updateEnvironment'),
  change('deleteEnvironment'),
  read('getEnvironment'),
  read('listEnvironments'),
  // Notifications.
  read('listWebhooks', OWNER),
  read('listWebhookDeliveries', OWNER),
  change('createWebhook'),
  change('updateWebhook'),
  change('deleteWebhook'),
  change('testWebhook'),
  change('retryWebhookDelivery'),
  // The audit log.
  row(
    'listAudit',
    adminOrOwner(({ request }) => (request as { projectID?: string | null } | null)?.projectID ?? undefined),
  ),
  // GitOps and image registry.
  change('enableGitOps'),
  change('disableGitOps'),
  change('updateGitOps'),
  change('syncGitOps'),
  read('getGitOpsDetails', OWNER),
  read('listImageRegistry', OWNER),
  read('getImageRegistry', OWNER),
  change('createImageRegistry'),
  change('updateImageRegistry'),
  change('deleteImageRegistry'),
  // The cluster that a server for one person watches itself; other servers refuse these. That person is its administrator; other accounts
  // on that server have no access to the person's cluster.
  admin('listClusterObjects'),
  admin('clusterHalts'),
  admin('clusterTerminal'),
  admin('watchClusterObjects'),
  admin('haltCluster', true),
  admin('resumeCluster', true),
];

/** The same for REST, with the arguments of path, query and body together. */
export const REST_OPERATIONS: readonly Operation[] = [
  open('GET /status'),
  open('GET /readiness'),
  open('GET /capabilities'),
  // Authorised by the token in its path.
  open('GET /file/:key'),
  { ...open('POST /login', true), mostAMinute: 60 },
  { ...open('GET /dex/login'), mostAMinute: 60 },
  { ...open('GET /dex/callback', true), mostAMinute: 60 },
  // The sign-in link of a server for one person; other servers have none.
  open('GET /enter'),
  // Tells the terminal of that person another one; who asks learns nothing.
  { ...open('POST /enter'), mostAMinute: 6 },
  { ...signedIn('POST /logout', true), withInitialPassword: true },
  { ...signedIn('GET /get_user/:uid'), withInitialPassword: true },
  admin('GET /users'),
  row('GET /invite_users/:project_id', members(OWNER, pathProject)),
  admin('POST /create_user', true),
  signedIn('POST /update/details', true),
  { ...signedIn('POST /update/password', true), withInitialPassword: true },
  admin('POST /reset/password', true),
  admin('POST /update/state', true),
  signedIn('GET /token/:uid'),
  signedIn('POST /create_token', true),
  signedIn('POST /remove_token', true),
  signedIn('POST /create_project', true),
  signedIn('GET /list_projects'),
  row('GET /get_project/:project_id', members(ALL, pathProject)),
  row('GET /get_project_role/:project_id', members(ALL, pathProject)),
  row('GET /get_project_members/:project_id/:state', members(ALL, pathProject)),
  row('GET /get_project_owners/:project_id', members(ALL, pathProject)),
  signedIn('GET /get_owner_projects'),
  signedIn('GET /get_user_with_project/:username'),
  admin('GET /get_projects_stats'),
  row(
    'GET /audit',
    adminOrOwner(({ project }) => (typeof project === 'string' && project !== '' ? project : undefined)),
  ),
  signedIn('GET /list_invitations_with_filters/:invitation_state'),
  change('POST /send_invitation'),
  signedIn('POST /accept_invitation', true),
  signedIn('POST /decline_invitation', true),
  change('POST /remove_invitation'),
  signedIn('POST /leave_project', true),
  change('POST /update_project_name'),
  change('POST /update_member_role'),
  open('GET /icon/default/:hubName/:chartName/:iconName'),
  row('GET /icon/:project_id/:hubName/:chartName/:iconName', members(ALL, pathProject)),
  // Runs as files, for all who may read them.
  row('GET /export/run/:project_id/:run_id/:format', members(ALL, pathProject)),
  row('POST /delete_project/:project_id', members(OWNER, pathProject), true),
];

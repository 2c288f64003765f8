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
const members = (roles: readonly Role[], project = projectID): Access => ({ by: 'members', roles, project });
const membersOfInfra = (roles: readonly Role[]): Access => ({
  by: 'members-of-infra',
  roles,
  infra: ({ request }) => (request as { infraID: string }).infraID,
});
const agent = (identity: (args: Arguments) => unknown): Access & { readonly by: 'agent' } => ({
  by: 'agent',
  identity: (args) => identity(args) as Identity,
});
const itself = agent(({ request }) => request);
const named = agent(({ request }) => (request as { infraID: unknown }).infraID);

const read = (name: string, roles: readonly Role[] = ALL): Operation => ({
  name,
  access: members(roles),
  audited: false,
});
const change = (name: string, roles: readonly Role[] = OWNER): Operation => ({
  name,
  access: members(roles),
  audited: true,
});

/**
 * Who may do what: every operation of the GraphQL schema has its row here, and the server does not start if one is missing. docs/control-plane.md
 * lists where this is stricter than upstream (which leaves hubs, versions, live data and infrastructure events open).
 */
export const GRAPHQL_OPERATIONS: readonly Operation[] = [
  // Agents.
  { name: 'confirmInfraRegistration', access: { by: 'anyone' }, audited: true },
  { name: 'getManifestWithInfraID', access: { by: 'anyone' }, audited: false },
  { name: 'infraConnect', access: { ...itself, leaving: true }, audited: false },
  { name: 'chaosExperimentRun', access: named, audited: false },
  { name: 'runRecord', access: named, audited: false },
  { name: 'infraActionResult', access: { ...named, leaving: true }, audited: false },
  { name: 'agentReply', access: named, audited: false },
  { name: 'podLog', access: named, audited: false },
  { name: 'kubeObj', access: named, audited: false },
  { name: 'kubeNamespace', access: named, audited: false },
  { name: 'gitopsNotifier', access: agent(({ clusterInfo }) => clusterInfo), audited: true },
  // Infrastructures.
  change('registerInfra'),
  read('listInfras'),
  read('getInfra'),
  read('getInfraDetails', WORKERS),
  read('getInfraManifest', WORKERS),
  change('deleteInfra'),
  read('getInfraStats', WORKERS),
  read('getVersionDetails'),
  { name: 'getServerVersion', access: { by: 'anyone' }, audited: false },
  read('getInfraEvents'),
  // It makes the agent send requests from inside a cluster.
  change('setInfraMetrics'),
  // The safety lever. An Executor may stop what an Executor may start.
  change('haltChaos', WORKERS),
  change('resumeChaos'),
  read('haltStatus'),
  { name: 'haltAllChaos', access: { by: 'admin' }, audited: true },
  { name: 'resumeAllChaos', access: { by: 'admin' }, audited: true },
  { name: 'haltStatusOfAll', access: { by: 'admin' }, audited: false },
  // Live data of clusters.
  { name: 'getPodLog', access: membersOfInfra(ALL), audited: false },
  { name: 'getKubeObject', access: membersOfInfra(ALL), audited: false },
  { name: 'getKubeNamespace', access: membersOfInfra(ALL), audited: false },
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
  read('getRunMetrics'),
  read('watchProject'),
  read('getExperimentRunStats'),
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
  { name: 'generateSSHKey', access: { by: 'signed-in' }, audited: false },
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
  {
    name: 'listAudit',
    access: {
      by: 'admin-or-members',
      roles: OWNER,
      project: ({ request }) => (request as { projectID?: string | null } | null)?.projectID ?? undefined,
    },
    audited: false,
  },
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
  { name: 'listClusterObjects', access: { by: 'admin' }, audited: false },
  { name: 'getClusterRun', access: { by: 'admin' }, audited: false },
  { name: 'clusterHalts', access: { by: 'admin' }, audited: false },
  { name: 'watchClusterObjects', access: { by: 'admin' }, audited: false },
  { name: 'watchClusterRun', access: { by: 'admin' }, audited: false },
  { name: 'watchClusterPodLog', access: { by: 'admin' }, audited: false },
  { name: 'abortClusterRun', access: { by: 'admin' }, audited: true },
  { name: 'planOnCluster', access: { by: 'admin' }, audited: false },
  { name: 'tryProbeOnCluster', access: { by: 'admin' }, audited: true },
  { name: 'haltCluster', access: { by: 'admin' }, audited: true },
  { name: 'resumeCluster', access: { by: 'admin' }, audited: true },
];

const open = (name: string, audited = false): Operation => ({ name, access: { by: 'anyone' }, audited });
const signedIn = (name: string, audited = false): Operation => ({
  name,
  access: { by: 'signed-in' },
  audited,
});
const admin = (name: string, audited = false): Operation => ({ name, access: { by: 'admin' }, audited });
const owners = (name: string): Operation => change(name);
const pathProject = (args: Arguments): string => String(args.project_id);

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
  { ...signedIn('POST /logout', true), withInitialPassword: true },
  { ...signedIn('GET /get_user/:uid'), withInitialPassword: true },
  admin('GET /users'),
  { name: 'GET /invite_users/:project_id', access: members(OWNER, pathProject), audited: false },
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
  { name: 'GET /get_project/:project_id', access: members(ALL, pathProject), audited: false },
  { name: 'GET /get_project_role/:project_id', access: members(ALL, pathProject), audited: false },
  { name: 'GET /get_project_members/:project_id/:state', access: members(ALL, pathProject), audited: false },
  { name: 'GET /get_project_owners/:project_id', access: members(ALL, pathProject), audited: false },
  signedIn('GET /get_owner_projects'),
  signedIn('GET /get_user_with_project/:username'),
  admin('GET /get_projects_stats'),
  {
    name: 'GET /audit',
    access: {
      by: 'admin-or-members',
      roles: OWNER,
      project: ({ project }) => (typeof project === 'string' && project !== '' ? project : undefined),
    },
    audited: false,
  },
  signedIn('GET /list_invitations_with_filters/:invitation_state'),
  owners('POST /send_invitation'),
  signedIn('POST /accept_invitation', true),
  signedIn('POST /decline_invitation', true),
  owners('POST /remove_invitation'),
  signedIn('POST /leave_project', true),
  owners('POST /update_project_name'),
  owners('POST /update_member_role'),
  open('GET /icon/default/:hubName/:chartName/:iconName'),
  {
    name: 'GET /icon/:project_id/:hubName/:chartName/:iconName',
    access: members(ALL, pathProject),
    audited: false,
  },
  // Runs as files, for all who may read them.
  {
    name: 'GET /export/run/:project_id/:run_id/:format',
    access: members(ALL, pathProject),
    audited: false,
  },
  admin('GET /export/cluster/:kind/:namespace/:name/:format'),
  { name: 'POST /delete_project/:project_id', access: members(OWNER, pathProject), audited: true },
];

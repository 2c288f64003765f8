import { systemClock } from '@turnsole/kube/base/clock';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { EXIT } from '../../process/exit-codes.ts';
import { type ClusterSession, onExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { sampleRights } from '../../services/install/agent/sample-rights.ts';
import { refuseOtherOperators } from '../../services/install/other-operators.ts';
import { localNodeOf } from '../../services/plan/obstacles.ts';
import { agentObjects, isLoopback, onHostNetwork } from '../connect/agent-objects.ts';
import { agentTrouble } from '../connect/agent-trouble.ts';
import { applyAgent, keepCredentials } from '../connect/apply-agent.ts';
import { awaitAgent } from '../connect/await-agent.ts';
import { type Made, madeSoFar } from '../connect/made-so-far.ts';
import {
  ensureEnvironment,
  ensureInfra,
  presentManifest,
  type Registered,
  type WantedInfra,
} from '../connect/registration.ts';
import { openRemote, type Remote, type RemoteOptions } from '../remote/open-remote.ts';
import { chooseProject, createProject, listProjects, type Project, projectOf } from '../remote/projects.ts';
import type { RemoteClient } from '../remote/remote-client.ts';
import { stoppable } from '../stoppable.ts';
import { ClusterRegistry, checkClusterName, DEFAULT_CLUSTER, type RunningCluster } from '../up/registry.ts';

/** Options of `turnsole connect`, as the command line gives them. */
export interface ConnectOptions extends RemoteOptions {
  /** An embedded cluster of `turnsole up`: its name, or `true` for the default one. */
  readonly local?: boolean | string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly environment: string;
  readonly name?: string;
  readonly namespace: string;
  readonly scope: 'cluster' | 'namespace';
  readonly skipTlsVerify?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Registers a cluster at a control plane, makes its agent there, and waits until that is connected. Doing it again completes it. */
export async function run(options: ConnectOptions): Promise<number> {
  if (options.local !== undefined && (options.kubeconfig ?? options.context) !== undefined) {
    throw new CommandError(
      '--local is an embedded cluster of this machine: leave --kubeconfig and --context out',
      'OPTION_INVALID',
    );
  }
  const remote = await openRemote(options, process.env);
  const project = await ensureProject(remote);
  console.log(`server ${remote.client.url}, project ${project.name}`);
  const cluster = options.local === undefined ? undefined : clusterName(options.local);
  const made: Made = { namespace: options.namespace, cluster, objects: 'none' };
  return stoppable(
    () => madeSoFar(made),
    (signal) => connect(options, remote, project, made, signal),
  );
}

/** A user who is alone gets a project of one's own. */
async function ensureProject(remote: Remote): Promise<Project> {
  if (remote.wantedProject !== undefined) return projectOf(remote);
  const found = chooseProject(await listProjects(remote.client), remote);
  return found ?? createProject(remote.client, `${remote.username || 'my'}-project`);
}

async function connect(
  options: ConnectOptions,
  { client }: Remote,
  { projectID }: Project,
  made: Made,
  signal: AbortSignal,
): Promise<number> {
  const { environment: environmentID, namespace, scope, context } = options;
  const { cluster } = made;
  const kubeconfig =
    cluster === undefined ? options.kubeconfig : (await localCluster(cluster, process.env)).kubeconfig;
  const name = options.name ?? (cluster === DEFAULT_CLUSTER ? 'local' : (cluster ?? context ?? 'cluster'));
  const wanted = {
    projectID,
    environmentID,
    name,
    namespace,
    scope,
    skipSsl: options.skipTlsVerify ?? false,
  };
  const work = async (session: ClusterSession): Promise<void> => {
    await refuseSecondOperator(session, options, signal);
    signal.throwIfAborted();
    // Not cut short: whether it is registered has to be known.
    const { infraID, manifest } = await register(client, wanted);
    made.infra = { name, id: infraID };
    signal.throwIfAborted();
    // Of an embedded cluster the nodes are this machine, also by its kubeconfig.
    const isHere = cluster !== undefined || (await isEmbedded(session, signal));
    if (!isHere && isLoopback(client.url)) console.log(loopbackWarning(client.url));
    const objects = agentObjects(manifest);
    const ofEmbedded = scope === 'cluster' ? sampleRights(namespace) : [];
    made.objects = 'some';
    const applied = await applyAgent(
      session.client,
      isHere ? [...onHostNetwork(objects, client.url, await agentPorts()), ...ofEmbedded] : objects,
      signal,
    );
    const present = (): Promise<string> => presentManifest(client, projectID, infraID);
    await keepCredentials(session.client, objects, present, signal);
    made.objects = 'all';
    console.log(`objects of the agent: ${applied}`);
    const awaited = {
      ...{ projectID, infraID, signal, timeoutMs: options.timeout, sleep: systemClock.sleep },
      trouble: () => agentTrouble(session.client, namespace),
      onTrouble: (trouble: string) => console.log(`still waiting: ${trouble}`),
    };
    console.log(`agent connected, version ${await awaitAgent(client, awaited)}`);
  };
  await onExisting({ kubeconfig, context }, work, signal);
  console.log(nextStep(environmentID, name));
  return EXIT.pass;
}

function loopbackWarning(url: string): string {
  return `warning: ${url} is an address of this machine alone; the agent reaches it only where its pod has this machine's network. Give an address of the server that pods can reach by --server, or --public-url to the server`;
}

/** The agent's manifest brings an operator: one of another namespace would run each engine a second time. @throws CommandError */
async function refuseSecondOperator(
  { client }: ClusterSession,
  { namespace, scope }: ConnectOptions,
  signal: AbortSignal,
): Promise<void> {
  const reach = { namespace, watchNamespace: scope === 'namespace' ? namespace : undefined };
  const advice =
    'Connect with --namespace of that one, whose components then serve the agent, or remove it first';
  await refuseOtherOperators(client, reach, advice, signal);
}

/** Ports for the agent's metrics and health in place of the usual ones. */
async function agentPorts(): Promise<Readonly<Record<string, number>>> {
  const [metrics = 0, health = 0] = await freePorts(2);
  return { 8080: metrics, 8081: health };
}

async function register(client: RemoteClient, wanted: WantedInfra): Promise<Registered> {
  const { projectID, environmentID, name } = wanted;
  if (await ensureEnvironment(client, projectID, environmentID))
    console.log(`environment ${environmentID} made`);
  const registered = await ensureInfra(client, wanted);
  console.log(
    `infrastructure ${name} ${registered.wasThere ? 'is known' : 'registered'} (${registered.infraID})`,
  );
  return registered;
}

/** The next step for the user. */
function nextStep(environment: string, name: string): string {
  return [
    '',
    `  npx turnsole remote infra list                           shows ${environment}/${name}`,
    `  npx turnsole remote experiment save chaos.yaml --infra ${name}`,
    '  npx turnsole remote experiment run NAME --wait',
  ].join('\n');
}

/** Whether nodes of a cluster are those of an embedded one; no where they may not be looked at. */
async function isEmbedded({ client }: ClusterSession, signal: AbortSignal): Promise<boolean> {
  return (await localNodeOf({ client, signal })) !== undefined;
}

/** @throws CommandError for a text that names no cluster */
function clusterName(local: boolean | string): string {
  if (typeof local === 'boolean') return DEFAULT_CLUSTER;
  checkClusterName('--local', local);
  return local;
}

/** The embedded cluster of a name; where the default one does not run, it is started and stays. @throws CommandError (could not run) */
async function localCluster(name: string, env: NodeJS.ProcessEnv): Promise<RunningCluster> {
  const registry = new ClusterRegistry(env);
  const running = await registry.find(name);
  if (running !== undefined) return running;
  if (name !== DEFAULT_CLUSTER) {
    const found = await Promise.all((await registry.names()).map((other) => registry.find(other)));
    const others = found.flatMap((cluster) => cluster?.name ?? []);
    throw new CommandError(
      `no embedded cluster named ${name} runs (${others.length === 0 ? 'none does' : `others: ${others.join(', ')}`}); start it with "turnsole up --detach --name ${name}"`,
      'EMBEDDED_CLUSTER_FAILED',
    );
  }
  const { run } = await import('./up.ts');
  const code = await run({ name, detach: true, port: 0 }, () => false);
  const started = code === EXIT.pass ? await registry.find(name) : undefined;
  if (started === undefined)
    throw new CommandError('the embedded cluster has not stayed', 'EMBEDDED_CLUSTER_FAILED');
  return started;
}

import { systemClock } from '@turnsole/kube/base/clock';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { EXIT } from '../../process/exit-codes.ts';
import { type ClusterSession, onExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { refuseOtherOperators } from '../../services/install/other-operators.ts';
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
import { ClusterRegistry, type RunningCluster } from '../up/registry.ts';

/** Options of `turnsole connect`, as the command line gives them. */
export interface ConnectOptions extends RemoteOptions {
  /** The embedded cluster of `turnsole up`. */
  readonly local?: boolean;
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
  if (options.local === true && (options.kubeconfig ?? options.context) !== undefined) {
    throw new CommandError(
      '--local is the embedded cluster of this machine: leave --kubeconfig and --context out',
      'OPTION_INVALID',
    );
  }
  const remote = await openRemote(options, process.env);
  const project = await ensureProject(remote);
  console.log(`server ${remote.client.url}, project ${project.name}`);
  const made: Made = { namespace: options.namespace, isLocal: options.local ?? false, objects: 'none' };
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
  const { environment: environmentID, namespace, scope, context, local = false } = options;
  const kubeconfig = local ? (await localCluster(process.env)).kubeconfig : options.kubeconfig;
  const name = options.name ?? (local ? 'local' : (context ?? 'cluster'));
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
    if (!local && isLoopback(client.url)) console.log(loopbackWarning(client.url));
    const objects = agentObjects(manifest);
    made.objects = 'some';
    const applied = await applyAgent(
      session.client,
      local ? onHostNetwork(objects, client.url, await agentPorts()) : objects,
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

const NAME = 'default';

/** The embedded cluster of `turnsole up`; where none runs, one is started that stays. @throws CommandError (could not run) */
async function localCluster(env: NodeJS.ProcessEnv): Promise<RunningCluster> {
  const registry = new ClusterRegistry(env);
  const running = await registry.find(NAME);
  if (running !== undefined) return running;
  const { run } = await import('./up.ts');
  const code = await run({ name: NAME, detach: true, port: 0 }, () => false);
  const started = code === EXIT.pass ? await registry.find(NAME) : undefined;
  if (started === undefined)
    throw new CommandError('the embedded cluster has not stayed', 'EMBEDDED_CLUSTER_FAILED');
  return started;
}

/** What chaos has in force, seen from outside: in pods' network namespaces and containers, on nodes, in objects. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import {
  CHAOS_RESULTS,
  type ChaosResult,
  CONFIG_MAPS,
  DEPLOYMENTS,
  type Deployment,
  type KubeObject,
  NETWORK_POLICIES,
  NODES,
  type Node,
  PODS,
  type Pod,
} from '../../../src/api/index.ts';
import { CLAIMS_ANNOTATION } from '../../../src/faults/node/claims.ts';
import { APP_WORD, REPLICAS } from './application.ts';
import { MARK } from './faults.ts';
import { allProcesses, type SeenProcess } from './processes.ts';
import type { World } from './world.ts';

const run = promisify(execFile);
const RECENT_MS = 100;
/** An API server that does not answer for so long is away. */
const LOOK_LIMIT_MS = 5_000;
const PLACE = { namespace: 'default' };
/** In the environment of the process that keeps a pod's namespaces, of what loads it, and of these looks themselves. */
const POD_VARIABLE = 'TURNSOLE_POD_UID';
const LOAD_VARIABLE = 'TURNSOLE_STRESS';
const LOOK_VARIABLE = 'CRASH_LOOK';
/** Tables of faults; those of the cluster's own network are not named so. */
const OWN_TABLE = /table \S+ turnsole_[0-9a-f]{16}\S*/g;
/** Any queue that somebody has put at a device; the kernel's own have the handle 0. */
const QUEUE = /^qdisc \S+ [1-9a-f][0-9a-f]*: .*$/gm;
/** Programs that come and go when pods start, are probed and are looked at. */
const PASSING = /(^|\/)(nsenter|unshare|setpriv|tc|nft|ip|mount|sh|dash|mkdir|ln|cat|true)$/;

/** Something in force. */
export interface Effect {
  readonly what: string;
  /** Name of the application or engine it belongs to; undefined for what belongs to nobody in particular. */
  readonly of: string | undefined;
  /** Where it is, unless it is in an object only. */
  readonly node: string | undefined;
}

/** What one look saw. */
export interface Look {
  readonly effects: readonly Effect[];
  /** False when the API server did not answer: then nothing is known of effects that are objects, and pods are as last seen. */
  readonly isComplete: boolean;
}

/** The API's part of a look; kept for when the server is away. */
interface Objects {
  readonly pods: readonly Pod[];
  readonly maps: readonly KubeObject[];
  readonly policies: readonly KubeObject[];
  readonly nodes: readonly Node[];
  readonly deployments: readonly Deployment[];
}

/** Looks at a world again and again. */
export class Onlooker {
  readonly #world: World;
  #objects: Objects | undefined;
  #shared: { readonly atMs: number; readonly engines: Promise<ReadonlySet<string>> } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** Names of engines of which the ledger says that something is in force; all who wait for that share the requests. */
  inForce(): Promise<ReadonlySet<string>> {
    const now = performance.now();
    if (this.#shared === undefined || now - this.#shared.atMs > RECENT_MS) {
      this.#shared = { atMs: now, engines: this.#readLedgers() };
    }
    return this.#shared.engines;
  }

  async #readLedgers(): Promise<ReadonlySet<string>> {
    const list = this.#world.client.list<ChaosResult>(CHAOS_RESULTS, { ...PLACE, timeoutMs: LOOK_LIMIT_MS });
    const { items } = await list.catch(() => ({ items: [] }));
    const isHit = ({ status }: ChaosResult): boolean =>
      Object.values(status?.ledger ?? {}).some(({ state }) => state === 'injected');
    return new Set(items.filter(isHit).map(({ spec }) => spec?.engine ?? ''));
  }

  /**
   * Everything in force.
   *
   * @param only the applications whose pods are entered; a look into one costs several programs @default all
   * @param strict also what is in an application's pod and is neither the application nor known: right only when nothing is starting
   */
  async look(only?: ReadonlySet<string>, strict = false): Promise<Look> {
    const read = await this.#read().catch(() => undefined);
    this.#objects = read ?? this.#objects;
    const objects = this.#objects;
    if (objects === undefined) return { effects: [], isComplete: false };
    const apps = objects.pods.filter(({ metadata }) => metadata.labels?.app !== undefined);
    const processes = allProcesses();
    const { isolated } = this.#world;
    const isMeant = ({ metadata }: Pod): boolean => only?.has(metadata.labels?.app ?? '') ?? true;
    const found = [
      ...this.#marks(objects, read === undefined ? [] : objects.maps),
      ...(read === undefined ? [] : ofObjects(objects, strict)),
      ...ofLoads(apps, processes),
      ...(isolated ? await ofPods(apps.filter(isMeant), processes, strict) : []),
      ...(strict && isolated ? await ofHost() : []),
    ];
    return { effects: found, isComplete: read !== undefined };
  }

  async #read(): Promise<Objects> {
    const { client } = this.#world;
    const options = { ...PLACE, timeoutMs: LOOK_LIMIT_MS };
    const [pods, maps, policies, nodes, deployments] = await Promise.all([
      client.list<Pod>(PODS, options),
      client.list(CONFIG_MAPS, options),
      client.list(NETWORK_POLICIES, options),
      client.list<Node>(NODES, { timeoutMs: LOOK_LIMIT_MS }),
      client.list<Deployment>(DEPLOYMENTS, options),
    ]);
    return {
      pods: pods.items,
      maps: maps.items,
      policies: policies.items,
      nodes: nodes.items,
      deployments: deployments.items,
    };
  }

  /** `crash-mark-<engine>.<pod>`. */
  #marks({ pods }: Objects, maps: readonly KubeObject[]): Effect[] {
    const files = readdirSync(this.#world.markFolder);
    return [...maps.map(({ metadata }) => metadata.name), ...files]
      .filter((name) => name.startsWith(MARK))
      .map((name) => {
        const [of, pod] = name.slice(MARK.length).split('.');
        const node = pods.find(({ metadata }) => metadata.name === pod)?.spec?.nodeName;
        return { what: `mark ${name}`, of, node: files.includes(name) ? node : undefined };
      });
  }
}

/** Policies, taints, cordons, replicas. */
function ofObjects({ policies, nodes, deployments }: Objects, strict: boolean): Effect[] {
  const effects: Effect[] = policies.map((policy) => {
    // A NetworkPolicy: its selector has the labels of the pods it cuts off.
    const { spec } = policy as { spec?: { podSelector?: { matchLabels?: Record<string, string> } } };
    const of = spec?.podSelector?.matchLabels?.app;
    return { what: `policy ${policy.metadata.name}`, of, node: undefined };
  });
  for (const { metadata, spec } of nodes) {
    const own = (spec?.taints ?? []).filter(({ key }) => !key.startsWith('node.kubernetes.io/'));
    const { name, annotations } = metadata;
    // Named after the application of the engine that has set them.
    for (const { key } of own) effects.push({ what: `taint ${key} of ${name}`, of: key, node: undefined });
    if (spec?.unschedulable === true) {
      effects.push({ what: `cordon of ${name}`, of: undefined, node: undefined });
    }
    const claims = annotations?.[CLAIMS_ANNOTATION] ?? '{}';
    if (strict && claims !== '{}') {
      effects.push({ what: `claims ${claims} on ${name}`, of: undefined, node: undefined });
    }
  }
  for (const { metadata, spec } of deployments) {
    if (spec?.replicas === REPLICAS) continue;
    effects.push({ what: `${spec?.replicas} replicas`, of: metadata.name, node: undefined });
  }
  return effects;
}

/** Processes that load an application, wherever they are. */
function ofLoads(apps: readonly Pod[], processes: readonly SeenProcess[]): Effect[] {
  return processes.flatMap(({ pid, words, variable }) => {
    const injection = variable(LOAD_VARIABLE);
    if (injection === undefined) return [];
    const pod = apps.find(({ metadata }) => injection.includes(metadata.name));
    if (pod === undefined) return [];
    return [effectIn(pod, `load ${pid} (${words.join(' ').slice(0, 60)})`)];
  });
}

/** Queues, rules, proxies and files of pods with namespaces of their own. */
async function ofPods(
  apps: readonly Pod[],
  processes: readonly SeenProcess[],
  strict: boolean,
): Promise<Effect[]> {
  const found = await Promise.all(
    apps.map(async (pod) => {
      const uid = pod.metadata.uid ?? '';
      const own = processes.filter(
        ({ variable, cgroup }) => variable(POD_VARIABLE) === uid || cgroup.includes(uid),
      );
      // The one that keeps the namespaces goes when the node agent is killed, and the containers go on.
      const [first] = own;
      if (first === undefined) return [];
      const inside = processes
        .filter((one) => own.includes(one) || one.network === first.network)
        .filter(({ variable }) => variable(POD_VARIABLE) !== uid);
      return [
        ...(await ofNetwork(first.pid)),
        ...inside.flatMap((process_) => ofProcess(process_, strict)),
        ...ofFiles(inside),
      ].map((what) => effectIn(pod, what));
    }),
  );
  return found.flat();
}

function effectIn({ metadata, spec }: Pod, what: string): Effect {
  return { what: `${what} in pod ${metadata.name}`, of: metadata.labels?.app, node: spec?.nodeName };
}

async function ofNetwork(pid: number): Promise<string[]> {
  const script =
    'tc qdisc show; nft list tables; iptables-save 2> /dev/null; ip6tables-save 2> /dev/null; true';
  const words = ['-t', String(pid), '-n', 'sh', '-c', script];
  const env = { PATH: process.env.PATH ?? '', [LOOK_VARIABLE]: '1' };
  // The pod may have ended meanwhile, and its namespace with it.
  const { stdout } = await run('nsenter', words, { env }).catch(() => ({ stdout: '' }));
  const rules = stdout.match(/^-A .*$/gm) ?? [];
  return [...(stdout.match(QUEUE) ?? []), ...(stdout.match(/^table .*$/gm) ?? []), ...rules];
}

function ofProcess({ pid, words, variable }: SeenProcess, strict: boolean): string[] {
  const line = words.join(' ');
  const what = `process ${pid} (${line.slice(0, 80)})`;
  if (line.includes('interceptor')) return [what];
  if (!strict || line.includes(APP_WORD) || variable(LOOK_VARIABLE) !== undefined) return [];
  return PASSING.test(words[0] ?? '') && variable(LOAD_VARIABLE) === undefined ? [] : [what];
}

/** Files of disk-fill and fio at the root of the application's container. */
function ofFiles(inside: readonly SeenProcess[]): string[] {
  const app = inside.find(({ words }) => words.join(' ').includes(APP_WORD) && /node$/.test(words[0] ?? ''));
  if (app === undefined) return [];
  try {
    const names = ['/', '/tmp/'].flatMap((folder) => readdirSync(`/proc/${app.pid}/root${folder}`));
    return names.filter((name) => /diskfill|fio|stress/.test(name)).map((name) => `file ${name}`);
  } catch {
    return [];
  }
}

/** What is on the machine itself, where no fault of these tests has anything to do. */
async function ofHost(): Promise<Effect[]> {
  const script = 'nft list tables; tc qdisc show';
  const { stdout } = await run('sh', ['-c', script]);
  const found = [
    ...(stdout.match(OWN_TABLE) ?? []),
    ...(stdout.match(/^qdisc \S+ 7[0-9a-e]..: .*$/gm) ?? []),
  ];
  return found.map((what) => ({ what: `${what} on the machine`, of: undefined, node: undefined }));
}

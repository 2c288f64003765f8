/** What chaos has in force, seen from outside: in pods' network namespaces and containers, on nodes, in objects, in peers. */
import { readdirSync } from 'node:fs';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CHAOS_RESULTS, type ChaosResult } from '../../../src/api/index.ts';
import type { Effect, Look } from './effect.ts';
import { ofHost, ofPods } from './effects-in-pods.ts';
import type { FaultChoice } from './families.ts';
import { MARK } from './faults.ts';
import { ofLoads } from './loads.ts';
import { LOOK_LIMIT_MS, type Objects, ofObjects, readObjects } from './objects.ts';
import { allProcesses } from './processes.ts';
import { ofMachines, ofMonkeys } from './remote.ts';
import type { World } from './world.ts';

const RECENT_MS = 100;

/** An engine that is looked for. */
export interface Suspect {
  readonly application: string;
  readonly fault: FaultChoice;
}

/** Looks at a world again and again. */
export class Onlooker {
  readonly #world: World;
  /** Applications whose Chaos Monkeys are asked, and whose machines: others need not be held up by what slows them down. */
  readonly #monkeys: ReadonlySet<string>;
  readonly #machines: ReadonlySet<string>;
  #objects: Objects | undefined;
  #shared: { readonly atMs: number; readonly engines: Promise<ReadonlySet<string>> } | undefined;

  constructor(world: World, suspects: readonly Suspect[] = []) {
    const hitBy = (kind: string): ReadonlySet<string> =>
      new Set(
        suspects.filter(({ fault }) => fault.name.startsWith(kind)).map(({ application }) => application),
      );
    this.#world = world;
    this.#monkeys = hitBy('spring-boot-');
    this.#machines = hitBy('redfish-');
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
    const options = { namespace: 'default', timeoutMs: LOOK_LIMIT_MS };
    const list = this.#world.client.list<ChaosResult>(CHAOS_RESULTS, options);
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
    const read = await readObjects(this.#world.client).catch(() => undefined);
    this.#objects = read ?? this.#objects;
    const objects = this.#objects;
    if (objects === undefined) return { effects: [], isComplete: false };
    const apps = objects.pods.filter(({ metadata }) => metadata.labels?.app !== undefined);
    const processes = allProcesses().filter((one) => this.#world.mayOwn(one));
    const runs = new Map(objects.engines.map(({ metadata, status }) => [status?.runId ?? '', metadata.name]));
    const { isolated } = this.#world;
    const meant = apps.filter(({ metadata }) => only?.has(metadata.labels?.app ?? '') ?? true);
    const found = [
      ...this.#marks(objects, read === undefined ? [] : objects.maps),
      ...(read === undefined ? [] : ofObjects(objects, strict)),
      ...ofLoads(apps, processes, runs),
      ...(isolated ? await ofPods(meant, processes, strict) : []),
      ...(await this.#remote(objects, only)),
      ...(strict && isolated ? await ofHost() : []),
    ];
    return { effects: found, isComplete: read !== undefined };
  }

  async #remote({ pods }: Objects, only: ReadonlySet<string> | undefined): Promise<Effect[]> {
    const isMeant = (app: string, among: ReadonlySet<string>): boolean =>
      among.has(app) && (only?.has(app) ?? true);
    const found = await Promise.all([
      ofMonkeys(pods.filter(({ metadata }) => isMeant(metadata.labels?.app ?? '', this.#monkeys))),
      ofMachines(
        pods.filter(({ metadata }) =>
          isMeant(/^(app-\d+)-bmc-/.exec(metadata.name)?.[1] ?? '', this.#machines),
        ),
      ),
    ]);
    return found.flat();
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

import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { NAMESPACES, PODS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { Seeded } from '../../support/seeded.ts';
import type { Figures } from '../../support/seeds.ts';
import type { MarkCluster } from './cluster.ts';
import { startController } from './controller.ts';
import { problemsOf } from './judge.ts';
import { type Death, MortalClient } from './mortal-client.ts';
import { drawScenario } from './scenario.ts';

/** Requests of a process, at most, before it is killed. */
const MOST_REQUESTS = 60;
const LIMIT_MS = 120_000;

/**
 * Runs a workflow while its controllers are killed, one after the other and sometimes two at once, and judges what became of it.
 *
 * @throws Error with everything that is wrong
 */
export async function runSeed(cluster: MarkCluster, number: number): Promise<Figures> {
  const seed = new Seeded(number);
  const namespace = `seed-${number}`;
  const scenario = drawScenario(seed.fork(), 'w');
  const { client } = cluster;
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  // Pods of a namespace are refused until its account is there.
  await waitForObject(client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
    namespace,
    timeoutMs: LIMIT_MS,
  });
  await client.create<Workflow>(WORKFLOWS, scenario.workflow, { namespace });
  const end = new AbortController();
  let ended: Workflow | undefined;
  const over = waitForObject<Workflow>(
    client,
    WORKFLOWS,
    'w',
    (workflow) => typeof workflow?.status?.finishedAt === 'string',
    { namespace, timeoutMs: LIMIT_MS, signal: end.signal },
  ).then(
    (workflow) => {
      ended = workflow;
    },
    // The judge says what has not ended.
    (error: unknown) => {
      if (!(error instanceof WaitTimeoutError) && !end.signal.aborted) throw error;
    },
  );
  let kills = 0;
  try {
    for (let lives = seed.between(1, 4); lives > 0 && ended === undefined; lives -= 1) {
      const isPair = seed.chance(0.3);
      const deaths = isPair ? [drawDeath(seed), drawDeath(seed)] : [drawDeath(seed)];
      kills += await liveAndDie(cluster, namespace, deaths, over);
    }
    const survivors = seed.chance(0.3) ? [undefined, undefined] : [undefined];
    await liveAndDie(cluster, namespace, survivors, over);
  } finally {
    end.abort();
    await over;
  }
  const workflow = ended ?? (await client.get<Workflow>(WORKFLOWS, 'w', { namespace }));
  const marks = cluster.marksIn(namespace);
  const problems = problemsOf(scenario, workflow, marks);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  await client.delete(NAMESPACES, namespace);
  return { kills, pods: marks.length };
}

function drawDeath(seed: Seeded): Death {
  return { request: seed.between(1, MOST_REQUESTS), isSent: seed.chance(0.5) };
}

/** Starts controllers, and resolves when all of them are dead or the workflow is over. Gives how many were killed. */
async function liveAndDie(
  cluster: MarkCluster,
  namespace: string,
  deaths: readonly (Death | undefined)[],
  over: Promise<void>,
): Promise<number> {
  const processes = deaths.map((death) => new MortalClient(withLogs(cluster, namespace), death));
  const controllers = processes.map(({ client }) =>
    // One that dies while it starts is as dead as any other.
    startController(client, namespace).catch(() => undefined),
  );
  await Promise.race([over, Promise.all(processes.map(({ died }) => died))]);
  const kills = processes.filter(({ isDead }) => isDead).length;
  for (const process of processes) process.kill();
  for (const controller of controllers) await (await controller)?.stop();
  return kills;
}

/** Logs of the helpers, as a kubelet would have them. */
function withLogs(cluster: MarkCluster, namespace: string): KubeClient {
  const report = async (pod: string): Promise<string> =>
    cluster.reportOf(await cluster.client.get<Pod>(PODS, pod, { namespace }));
  return new Proxy(cluster.client, {
    get: (target, key): unknown => {
      if (key === 'log') return report;
      if (key === 'logLines') {
        return async function* (pod: string): AsyncGenerator<string> {
          yield (await report(pod)).trimEnd();
        };
      }
      const method: unknown = Reflect.get(target, key);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}

/**
 * The control plane: start, memory at rest and with many agents, run events taken and stored, and lists beside many runs.
 *
 * The server is a process of its own, from the bundle when there is one (`npm run build`). Its clients are in this process, so that both
 * share the machine.
 *
 *   npm run bench:server [-- --agents 1000 --runs 100000 --events 3000 --starts 5 --json FILE]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { RemoteClient } from '../src/cli/remote/remote-client.ts';
import { postgresPrograms, startPostgres } from '../src/controlplane/store/testing/postgres-server.ts';
import { connectAgents } from '../test/crash/server/agents.ts';
import { type Estate, saveExperiment, signIn, tellRun, writeEstate } from '../test/crash/server/estate.ts';
import { ServerProcess } from '../test/crash/server/server-process.ts';
import { formatColumns, median, summarize, writeJson } from './report.ts';
import { writeRuns } from './server/many-runs.ts';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '100000' },
    events: { type: 'string', default: '3000' },
    starts: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
});
const [agents = 0, runs = 0, events = 0, starts = 0] = [
  values.agents,
  values.runs,
  values.events,
  values.starts,
].map(Number);
const EXPERIMENTS = 100;
const CALLERS = 32;
const LISTS = 200;
const REST_MS = 3_000;
const LIST = `query ($p: ID!) { listExperiment(projectID: $p, request: { pagination: { page: 0, limit: 15 } }) {
  totalNoOfExperiments experiments { experimentID name recentExperimentRunDetails { phase resiliencyScore } } } }`;

/** What one database gives. */
interface Figures {
  readonly readyMs: number;
  readonly idleMiB: number;
  readonly agentsMiB: number;
  readonly eventsPerSecond: number;
  readonly listMs: number;
  readonly listP99Ms: number;
}

const sqlite = await measure(undefined);
const postgres = postgresPrograms() === undefined ? undefined : await onPostgres();
const rows: readonly (readonly [string, (figures: Figures) => number, string])[] = [
  ['start to ready, ms', ({ readyMs }) => readyMs, '≤ 300'],
  ['at rest, MiB', ({ idleMiB }) => idleMiB, '≤ 110'],
  [`with ${agents} agents, MiB`, ({ agentsMiB }) => agentsMiB, '≤ 300'],
  ['run events stored, 1/s', ({ eventsPerSecond }) => eventsPerSecond, '≥ 1000'],
  [`list of experiments beside ${runs} runs, p50, ms`, ({ listMs }) => listMs, '≤ 20'],
  ['the same, p99, ms', ({ listP99Ms }) => listP99Ms, ''],
];
const shown = (figures: Figures | undefined, pick: (figures: Figures) => number): string =>
  figures === undefined ? 'not installed' : pick(figures).toFixed(1);
console.log(
  formatColumns(
    ['', 'SQLite', 'PostgreSQL', 'aim'],
    rows.map(([title, pick, aim]) => [title, shown(sqlite, pick), shown(postgres, pick), aim]),
  ),
);
await writeJson(values.json, { sqlite, postgres });

async function onPostgres(): Promise<Figures> {
  const server = await startPostgres({});
  try {
    return await measure(server.url);
  } finally {
    await server.stop();
  }
}

async function measure(databaseUrl: string | undefined): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-bench-server-'));
  const location = databaseUrl === undefined ? { folder } : { url: databaseUrl };
  const life = { folder, ...(databaseUrl !== undefined && { databaseUrl }) };
  try {
    const estate = await writeEstate(location, agents);
    const ready: number[] = [];
    for (let start = 0; start < starts; start += 1) {
      const server = await ServerProcess.start(life);
      ready.push(server.readyMs);
      await server.stop();
    }
    const server = await ServerProcess.start(life);
    await delay(REST_MS);
    const idleMiB = server.residentMiB;
    const client = await signIn(server.url);
    const connected = await connectAgents(client, estate);
    await delay(REST_MS);
    const agentsMiB = server.residentMiB;
    const ids = Array.from({ length: EXPERIMENTS }, (_, index) => `exp-${index}`);
    for (const id of ids) await saveExperiment(client, estate.project, id, estate.agents[0]?.infraID ?? '');
    const eventsPerSecond = await measureEvents(client, estate, ids);
    connected.close();
    await server.stop();
    await writeRuns(location, estate.project, ids, runs);
    const again = await ServerProcess.start(life);
    const lists = await measureLists(await signIn(again.url), estate.project);
    await again.stop();
    return {
      readyMs: median(ready),
      idleMiB,
      agentsMiB,
      eventsPerSecond,
      listMs: lists.p50,
      listP99Ms: lists.p99,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Agents send three events for each run, and wait for each answer before the next one. */
async function measureEvents(
  client: RemoteClient,
  { agents: [agent] }: Estate,
  ids: readonly string[],
): Promise<number> {
  if (agent === undefined) throw new Error('--agents: at least one tells of runs');
  let next = 0;
  const startedAt = performance.now();
  const call = async (): Promise<void> => {
    for (let number = next++; number * 3 < events; number = next++) {
      const experimentID = ids[number % ids.length] ?? '';
      for (const step of [0, 1, 2] as const)
        await tellRun(client, agent, { experimentID, runID: `run-${number}`, step });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return (Math.ceil(events / 3) * 3 * 1000) / (performance.now() - startedAt);
}

async function measureLists(client: RemoteClient, p: string): Promise<ReturnType<typeof summarize>> {
  const times: number[] = [];
  for (let list = 0; list < LISTS; list += 1) {
    const startedAt = performance.now();
    await client.graphql(LIST, { p });
    times.push(performance.now() - startedAt);
  }
  return summarize(times);
}

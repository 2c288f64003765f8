/**
 * The control plane: start, memory at rest and with many agents, run events taken and stored, and lists beside many runs.
 *
 * The server is a process of its own, from the bundle that the image has. Run events come from another process (`server/event-client.ts`),
 * over sockets; this process makes the lists and holds the agents' sockets. All share the machine: processor time is given for each apart.
 *
 *   npm run bench:server [-- --agents 1000 --runs 100000 --events 9000 --starts 5 --database sqlite --profile FOLDER --json FILE]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { RemoteClient } from '../src/cli/remote/remote-client.ts';
import { postgresPrograms, startPostgres } from '../src/controlplane/store/testing/postgres-server.ts';
import { connectAgents } from '../test/crash/server/agents.ts';
import { saveExperiment, signIn, writeEstate } from '../test/crash/server/estate.ts';
import { ServerProcess } from '../test/crash/server/server-process.ts';
import { formatColumns, median, summarize, writeJson } from './report.ts';
import { bundledProgram } from './server/bundled-program.ts';
import { writeRuns } from './server/many-runs.ts';
import { type EventFigures, sendEvents } from './server/send-events.ts';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '100000' },
    events: { type: 'string', default: '9000' },
    starts: { type: 'string', default: '5' },
    /** Only this one. */
    database: { type: 'string' },
    /** Folder for profiles of the server's processor time. */
    profile: { type: 'string' },
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
const SOCKETS = 64;
const LISTS = 200;
const REST_MS = 3_000;
const LIST = `query ($p: ID!) { listExperiment(projectID: $p, request: { pagination: { page: 0, limit: 15 } }) {
  totalNoOfExperiments experiments { experimentID name recentExperimentRunDetails { phase resiliencyScore } } } }`;

/** What one database gives. */
interface Figures {
  readonly readyMs: number;
  /** Processor time of a start. */
  readonly startServerMs: number;
  readonly idleMiB: number;
  readonly agentsMiB: number;
  readonly events: EventFigures;
  readonly listMs: number;
  readonly listP99Ms: number;
  /** Processor time of the server for a list. */
  readonly listServerMs: number;
  /** Load of the machine, before and after. */
  readonly load: readonly [number, number];
}

const folder = mkdtempSync(join(tmpdir(), 'turnsole-bench-server-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const program = await bundledProgram(join(folder, 'package'));
const sqlite = values.database === 'postgres' ? undefined : await measure('sqlite', undefined);
const postgres =
  values.database === 'sqlite' || postgresPrograms() === undefined ? undefined : await onPostgres();
const rows: readonly (readonly [string, (figures: Figures) => number, string])[] = [
  ['start to ready, ms', ({ readyMs }) => readyMs, '≤ 300'],
  ['processor time of a start, ms', ({ startServerMs }) => startServerMs, ''],
  ['at rest, MiB', ({ idleMiB }) => idleMiB, '≤ 110'],
  [`with ${agents} agents, MiB`, ({ agentsMiB }) => agentsMiB, '≤ 300'],
  ['run events stored, 1/s', (figures) => figures.events.perSecond, '≥ 1000'],
  ['processor time of the server for one, ms', (figures) => figures.events.serverMs, ''],
  ['processor time of the client for one, ms', (figures) => figures.events.clientMs, ''],
  [`list of experiments beside ${runs} runs, p50, ms`, ({ listMs }) => listMs, '≤ 20'],
  ['the same, p99, ms', ({ listP99Ms }) => listP99Ms, ''],
  ['processor time of the server for one, ms', ({ listServerMs }) => listServerMs, ''],
  ['load of the machine before', ({ load }) => load[0], ''],
  ['load of the machine after', ({ load }) => load[1], ''],
];
const shown = (figures: Figures | undefined, pick: (figures: Figures) => number): string =>
  figures === undefined ? '-' : pick(figures).toFixed(2);
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
    return await measure('postgres', server.url);
  } finally {
    await server.stop();
  }
}

async function measure(name: string, databaseUrl: string | undefined): Promise<Figures> {
  const data = join(folder, name);
  const location = databaseUrl === undefined ? { folder: data } : { url: databaseUrl };
  const life = { folder: data, program, ...(databaseUrl !== undefined && { databaseUrl }) };
  const profiled = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  const loadBefore = loadavg()[0] ?? 0;
  const estate = await writeEstate(location, agents);
  const [agent] = estate.agents;
  if (agent === undefined) throw new Error('--agents: at least one tells of runs');
  const ready: number[] = [];
  const startTimes: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const server = await ServerProcess.start(life);
    ready.push(server.readyMs);
    startTimes.push(server.processorSeconds * 1_000);
    await server.stop();
  }
  const server = await ServerProcess.start({ ...life, nodeOptions: profiled });
  await delay(REST_MS);
  const idleMiB = server.residentMiB;
  const client = await signIn(server.url);
  const connected = await connectAgents(client, estate);
  await delay(REST_MS);
  const agentsMiB = server.residentMiB;
  const ids = Array.from({ length: EXPERIMENTS }, (_, index) => `exp-${index}`);
  for (const id of ids) await saveExperiment(client, estate.project, id, agent.infraID);
  const eventFigures = await sendEvents(server, {
    ...{ url: server.url, agent, experiments: ids, prefix: 'run-', runs: Math.ceil(events / 3) },
    sockets: SOCKETS,
  });
  connected.close();
  await server.stop();
  await writeRuns(location, estate.project, ids, runs);
  const again = await ServerProcess.start({ ...life, nodeOptions: profiled });
  const caller = await signIn(again.url);
  const before = again.processorSeconds;
  const lists = await measureLists(caller, estate.project);
  const listServerMs = ((again.processorSeconds - before) * 1_000) / LISTS;
  await again.stop();
  return {
    ...{
      readyMs: median(ready),
      startServerMs: median(startTimes),
      idleMiB,
      agentsMiB,
      events: eventFigures,
      listMs: lists.p50,
      listP99Ms: lists.p99,
    },
    ...{ listServerMs, load: [loadBefore, loadavg()[0] ?? 0] },
  };
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

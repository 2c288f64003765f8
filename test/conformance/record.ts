/**
 * Records the answers of a real API server: `npm run conformance:record [-- --all | --check] [theme…]`, with KUBECONFIG
 * naming the cluster. New and changed scenarios are recorded; `--all` records all again, `--check` writes nothing and
 * tells which answers are not the same as recorded. See README.md for the cluster this needs.
 */
import { loadKubeconfig } from '@turnsole/kube/client/index';
import { parseBody } from './harness/answer.ts';
import { describeDifferences, diff } from './harness/diff.ts';
import { connect, type RawRequest, type Target } from './harness/exchange.ts';
import { valueAt } from './harness/pointer.ts';
import { digestOf, type RecordedScenario, readRecording, writeRecording } from './harness/recording.ts';
import { runScenario } from './harness/run-scenario.ts';
import { namespaceOf, type Scenario, type Theme } from './harness/scenario.ts';
import { THEMES } from './scenarios/index.ts';

/** The garbage collector looks for new definitions every 30 seconds. */
const STEP_LIMIT_MS = 60_000;
/** What the server decides by cached copies of; nothing tells when they are up to date. */
const CACHED = /\/rbac\.authorization\.k8s\.io\/|\/limitranges|\/admissionregistration\.k8s\.io\//;
const CACHE_MS = 200;

const args = process.argv.slice(2);
const isAll = args.includes('--all');
const isCheck = args.includes('--check');
const wanted = args.filter((arg) => !arg.startsWith('--'));

const config = await loadKubeconfig();
const target = connect(config);
const version = valueAt((await send(target, 'GET', '/version')).body, '/gitVersion');
let failures = 0;
for (const theme of THEMES) {
  if (wanted.length > 0 && !wanted.includes(theme.theme)) continue;
  if (isCheck) await checkTheme(theme);
  else await recordTheme(theme);
}
target.close();
process.exitCode = failures === 0 ? 0 : 1;

async function recordTheme({ theme, scenarios }: Theme): Promise<void> {
  const before = new Map(readRecording(theme).scenarios.map((scenario) => [scenario.name, scenario]));
  const recorded: RecordedScenario[] = [];
  for (const scenario of scenarios) {
    const present = before.get(scenario.name);
    const digest = digestOf(scenario);
    if (!isAll && present?.digest === digest) {
      recorded.push(present);
      continue;
    }
    const made = await record(theme, scenario);
    if (made !== undefined) recorded.push(made);
    else if (present !== undefined) recorded.push(present);
  }
  writeRecording(theme, { server: String(version), scenarios: recorded });
}

async function checkTheme({ theme, scenarios }: Theme): Promise<void> {
  const before = new Map(readRecording(theme).scenarios.map((scenario) => [scenario.name, scenario]));
  for (const scenario of scenarios) {
    const again = await record(theme, scenario);
    const differences = diff(before.get(scenario.name)?.steps, again?.steps);
    if (differences.length === 0) continue;
    failures += 1;
    process.stdout.write(
      `${theme}/${scenario.name} is not the same again\n${describeDifferences(differences)}\n`,
    );
  }
}

async function record(theme: string, scenario: Scenario): Promise<RecordedScenario | undefined> {
  const created: string[] = [];
  await ensureGone(`/api/v1/namespaces/${namespaceOf(scenario)}`);
  try {
    const options = { stepLimitMs: STEP_LIMIT_MS, settled };
    const steps = await runScenario(scenario, target, options, (path) => created.push(path));
    if (!isCheck) process.stdout.write(`${theme}/${scenario.name} recorded\n`);
    return { name: scenario.name, digest: digestOf(scenario), steps: JSON.parse(JSON.stringify(steps)) };
  } catch (error) {
    failures += 1;
    process.stdout.write(`${theme}/${scenario.name} failed: ${String(error)}\n`);
    return undefined;
  } finally {
    for (const path of created.reverse()) await removeAll(path);
  }
}

/** Resolves when a write has its effect everywhere in the server. */
async function settled({ method, path }: RawRequest): Promise<void> {
  if (method === 'GET' || !CACHED.test(path)) return;
  await new Promise((resolve) => setTimeout(resolve, CACHE_MS));
}

/** Deletes an object, finalizers or not; namespaces and definitions go when what is in them is gone. */
async function removeAll(path: string): Promise<void> {
  const { status } = await send(target, 'DELETE', `${path}?gracePeriodSeconds=0`);
  const isContainer =
    /^\/api\/v1\/namespaces\/[^/]+$/.test(path) || path.includes('/customresourcedefinitions/');
  if (status >= 300 || isContainer) return;
  await send(target, 'PATCH', path, { metadata: { finalizers: null } });
}

async function ensureGone(path: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await send(target, 'GET', path)).status === 404) return;
    await send(target, 'DELETE', path);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} of an earlier recording does not go away; delete it and record again`);
}

async function send(
  to: Target,
  method: string,
  path: string,
  patch?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await to.send(
    {
      method,
      path,
      headers: patch === undefined ? {} : { 'content-type': 'application/merge-patch+json' },
      body: patch === undefined ? undefined : JSON.stringify(patch),
    },
    AbortSignal.timeout(STEP_LIMIT_MS),
  );
  return { status: answer.status, body: parseBody(answer.body) };
}

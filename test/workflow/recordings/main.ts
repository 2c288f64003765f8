/** `npm run test:workflow -- --recordings DIR`: what Argo's own controller recorded, decided again by the engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { matchesLabels, parseLabelSelector } from '@turnsole/kube/text/label-selector';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { validateWorkflow } from '@turnsole/workflows/validation/validate-workflow';
import { instanceSelector } from '../../../src/components/workflow-controller/cluster-view.ts';
import { differenceOfRefused, differenceOfUntouched, firstDifference } from './compare.ts';
import { type CronRecording, cronWorkflowOf, differenceOfCron } from './cron.ts';
import { DELIBERATE } from './deliberate.ts';
import { factsOf, libraryOf, workflowOf } from './manifests.ts';
import type { Recording } from './recording.ts';
import { replay } from './replay.ts';

/** Recordings that have to be equal or deliberately different: raised with every one more. */
const FEWEST = 244;

/** How many recordings there were when that was counted; of a smaller folder, only the score is shown. */
const ALL = 258;

const BESIDE_THE_CHECKOUT = resolve(import.meta.dirname, '../../../../shared/argo');

interface Entry {
  readonly file: string;
  readonly manifest: string;
  readonly workflow: string;
  /** Set in place of `workflow` where a CronWorkflow was watched. */
  readonly cronWorkflow?: string;
}

const { values } = parseArgs({ options: { recordings: { type: 'string' }, only: { type: 'string' } } });
const folder = values.recordings ?? BESIDE_THE_CHECKOUT;
if (existsSync(join(folder, 'recorded/index.json'))) {
  process.exitCode = runAll(folder);
} else {
  console.log(`test:workflow skipped: no recordings at ${folder}; say where they are with --recordings DIR`);
}

function runAll(base: string): number {
  const { recorded }: { readonly recorded: readonly Entry[] } = JSON.parse(
    readFileSync(join(base, 'recorded/index.json'), 'utf8'),
  );
  const entries = recorded.filter(({ file }) => values.only === undefined || file.includes(values.only));
  const facts = { examples: factsOf(join(base, 'examples')), variants: factsOf(join(base, 'variants')) };
  let equal = 0;
  let deliberate = 0;
  const elsewhere = new Map<string, number>();
  for (const entry of entries) {
    const reason = notOfTheEngine(base, entry);
    if (reason !== undefined) {
      elsewhere.set(reason, (elsewhere.get(reason) ?? 0) + 1);
      continue;
    }
    const difference = differenceOf(
      base,
      entry,
      entry.manifest.startsWith('examples') ? facts.examples : facts.variants,
    );
    if (difference === undefined) {
      equal++;
    } else if (DELIBERATE[entry.file] !== undefined) {
      deliberate++;
    } else {
      console.log(`${entry.file}: ${difference}`);
    }
  }
  for (const [reason, count] of elsewhere) console.log(`not decided by the engine: ${count}: ${reason}`);
  console.log(`recordings equal: ${equal} of ${entries.length}; deliberately different: ${deliberate}`);
  const isEnough = entries.length < ALL || equal >= FEWEST;
  if (!isEnough) console.log(`fewer than the ${FEWEST} that were equal before`);
  return isEnough ? 0 : 1;
}

/** Why a recording says nothing of the engine; undefined where it does. */
function notOfTheEngine(base: string, { manifest, cronWorkflow }: Entry): string | undefined {
  return cronWorkflow !== undefined || existsSync(join(base, manifest))
    ? undefined
    : 'the manifest is not there';
}

/** The controller of the recordings below `litmus/` had an instance id. */
function isOfTheController({ file }: Entry, { metadata }: Workflow): boolean {
  const instanceId = file.startsWith('litmus/') ? 'infra-1' : '';
  return matchesLabels(parseLabelSelector(instanceSelector(instanceId)), metadata.labels ?? {});
}

function readRecording(base: string, { file }: Entry) {
  return JSON.parse(readFileSync(join(base, 'recorded', file), 'utf8'));
}

function differenceOf(base: string, entry: Entry, facts: ReturnType<typeof factsOf>): string | undefined {
  if (entry.cronWorkflow !== undefined) {
    const cron: CronRecording = readRecording(base, entry);
    return differenceOfCron(cron, cronWorkflowOf(base, entry.manifest, entry.cronWorkflow), libraryOf(facts));
  }
  const recording: Recording = readRecording(base, entry);
  const workflow = workflowOf(join(base, entry.manifest), entry.workflow);
  if (!isOfTheController(entry, workflow)) return differenceOfUntouched(recording);
  const [problem] = validateWorkflow(workflow, { library: libraryOf(facts) });
  if (problem !== undefined) return differenceOfRefused(recording, problem.text);
  return firstDifference(recording, replay(recording, workflow, facts));
}

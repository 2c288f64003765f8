import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES } from '../../../src/api/resources.ts';
import type { TimelineEntry } from '../../../src/api/timeline.ts';
import { INFRA_ID } from '../../../src/components/subscriber/testing/infrastructure.ts';
import type { Choices } from '../durability/random.ts';

/** Steps of each run; with the last one it is over. */
export const STEPS = 10;
/** Of so many runs one has an engine, whose timeline grows with the run. */
const ENGINE_EVERY = 10;
/** Runs that go on at the same time. */
const AT_A_TIME = 40;
const STARTED_AT = '2026-01-01T00:00:00Z';

/** A stream of changes of runs in a random order: each call of `next` makes one. */
export class Stream {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #choices: Choices;
  readonly #runs: number;
  readonly #going: { readonly name: string; readonly hasEngine: boolean; step: number }[] = [];
  readonly #engines: string[] = [];
  #started = 0;

  constructor(client: KubeClient, namespace: string, choices: Choices, runs: number) {
    this.#client = client;
    this.#namespace = namespace;
    this.#choices = choices;
    this.#runs = runs;
  }

  get isOver(): boolean {
    return this.#started === this.#runs && this.#going.length === 0;
  }

  /** Names of the engines that it has made; each has a step for each of its run's. */
  get engines(): readonly string[] {
    return this.#engines;
  }

  async next(): Promise<void> {
    if (this.#started < this.#runs && this.#going.length < AT_A_TIME) return this.#begin();
    const index = this.#choices.between(0, this.#going.length - 1);
    const run = this.#going[index];
    if (run === undefined) return;
    run.step += 1;
    if (run.step === STEPS) this.#going.splice(index, 1);
    const place = { namespace: this.#namespace };
    await this.#client.patch(WORKFLOWS, run.name, 'merge', { status: statusOf(run.step) }, place);
    if (!run.hasEngine) return;
    await this.#client.patch(CHAOS_ENGINES, run.name, 'merge', { status: timelineOf(run.step) }, place);
  }

  async #begin(): Promise<void> {
    const hasEngine = this.#started % ENGINE_EVERY === 0;
    const name = `run-${this.#started++}`;
    this.#going.push({ name, hasEngine, step: 1 });
    const labels = {
      infra_id: INFRA_ID,
      'workflows.argoproj.io/controller-instanceid': INFRA_ID,
      workflow_id: `experiment-${name}`,
    };
    const workflow = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name, labels },
      spec: {},
      status: statusOf(1),
    };
    const place = { namespace: this.#namespace };
    const { metadata } = await this.#client.create<KubeObject>(WORKFLOWS, workflow, place);
    if (!hasEngine) return;
    const own = { infra_id: INFRA_ID, workflow_run_id: metadata.uid };
    const engine = { metadata: { name, labels: own }, spec: {}, status: timelineOf(1) };
    await this.#client.create(CHAOS_ENGINES, engine as never, place);
    this.#engines.push(name);
  }
}

/** An engine's status after so many steps. */
function timelineOf(steps: number): { readonly runId: string; readonly timeline: readonly TimelineEntry[] } {
  const timeline = Array.from({ length: steps }, (_, index) => ({
    time: new Date(Date.parse(STARTED_AT) + index).toISOString(),
    actor: 'operator',
    step: 'Injected',
    message: `step ${index + 1}`,
  }));
  return { runId: 'run', timeline };
}

function statusOf(step: number): object {
  const isOver = step === STEPS;
  return {
    phase: isOver ? 'Succeeded' : 'Running',
    message: `step ${step}`,
    startedAt: STARTED_AT,
    finishedAt: isOver ? '2026-01-01T01:00:00Z' : undefined,
  };
}

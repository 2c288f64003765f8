import { WORKFLOWS } from '../../../src/api/resources.ts';
import { INFRA_ID } from '../../../src/components/subscriber/testing/infrastructure.ts';
import type { KubeClient } from '../../../src/kube/client/types.ts';
import type { Choices } from '../durability/random.ts';

/** Steps of each run; with the last one it is over. */
export const STEPS = 10;
/** Runs that go on at the same time. */
const AT_A_TIME = 40;
const STARTED_AT = '2026-01-01T00:00:00Z';

/** A stream of changes of runs in a random order: each call of `next` makes one. */
export class Stream {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #choices: Choices;
  readonly #runs: number;
  readonly #going: { readonly name: string; step: number }[] = [];
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

  async next(): Promise<void> {
    if (this.#started < this.#runs && this.#going.length < AT_A_TIME) return this.#begin();
    const index = this.#choices.between(0, this.#going.length - 1);
    const run = this.#going[index];
    if (run === undefined) return;
    run.step += 1;
    if (run.step === STEPS) this.#going.splice(index, 1);
    const place = { namespace: this.#namespace };
    await this.#client.patch(WORKFLOWS, run.name, 'merge', { status: statusOf(run.step) }, place);
  }

  async #begin(): Promise<void> {
    const name = `run-${this.#started++}`;
    this.#going.push({ name, step: 1 });
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
    await this.#client.create(WORKFLOWS, workflow, { namespace: this.#namespace });
  }
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

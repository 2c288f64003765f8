import { isDeepStrictEqual } from 'node:util';
import { type Answer, parseBody, type RecordedStep } from './answer.ts';
import type { RawRequest, Target } from './exchange.ts';
import { Identities } from './identities.ts';
import { normalise } from './normalise.ts';
import { valueAt, without } from './pointer.ts';
import {
  type AwaitStep,
  type CollectStep,
  namespaceOf,
  type RequestStep,
  type Scenario,
  type Step,
  titleOf,
  type WatchStep,
} from './scenario.ts';
import { substitute, substituteAll } from './substitute.ts';
import { WatchStream } from './watch-stream.ts';

export interface RunOptions {
  /** Limit of each step. */
  readonly stepLimitMs: number;
  /** Awaited after each request: servers that answer before a write has its effect. @default nothing to wait for */
  readonly settled?: (request: RawRequest) => Promise<void>;
}

/** Paths of what a run created, oldest first. */
export type Created = (path: string) => void;

/** A step could not be done at all: no answer, no marker, a setup that was refused. */
export class StepError extends Error {
  override readonly name = 'StepError';
}

/** Runs a scenario, its namespace included, and gives the normalised answers of the steps that are compared. */
export async function runScenario(
  scenario: Scenario,
  target: Target,
  options: RunOptions,
  created: Created = () => undefined,
): Promise<RecordedStep[]> {
  const run = new Run(target, options, namespaceOf(scenario), created);
  try {
    await run.prepare();
    const recorded: RecordedStep[] = [];
    for (const [index, step] of scenario.steps.entries()) {
      const answer = await run.step(step).catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new StepError(`step ${index + 1}, ${titleOf(step)}: ${reason}`, { cause });
      });
      if (answer !== undefined) recorded.push({ step: titleOf(step), ...answer });
    }
    return recorded;
  } finally {
    run.close();
  }
}

class Run {
  readonly #target: Target;
  readonly #options: RunOptions;
  readonly #created: Created;
  readonly #namespace: string;
  readonly #variables: Map<string, string>;
  readonly #identities = new Identities();
  readonly #watches = new Map<string, WatchStream>();

  constructor(target: Target, options: RunOptions, namespace: string, created: Created) {
    this.#target = target;
    this.#options = options;
    this.#created = created;
    this.#namespace = namespace;
    this.#variables = new Map([['ns', namespace]]);
  }

  /** Makes the namespace, and waits for its service account: pods are refused before. */
  async prepare(): Promise<void> {
    const metadata = { name: this.#namespace };
    await this.step({
      request: 'POST /api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata },
      setup: true,
    });
    await this.step({ awaiting: '/api/v1/namespaces/{ns}/serviceaccounts/default', setup: true });
  }

  /** The answer where it is to be compared. */
  async step(step: Step): Promise<Answer | undefined> {
    if ('request' in step) return await this.#request(step);
    if ('watch' in step) return await this.#watch(step);
    if ('collect' in step) return await this.#collect(step);
    return await this.#await(step);
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
  }

  async #request(step: RequestStep): Promise<Answer | undefined> {
    const request = this.#compose(step.request, step.headers ?? {}, step.body);
    const answer = await this.#send(request);
    await this.#options.settled?.(request);
    if (request.method === 'POST' && answer.status === 201) this.#noteCreated(request.path, answer.body);
    this.#capture(step.capture ?? {}, answer);
    if (step.setup !== true) {
      return this.#normalise(onlyOf(answer, step.only), step, request.method === 'DELETE');
    }
    if (answer.status >= 300) throw new Error(`setup got ${answer.status} ${JSON.stringify(answer.body)}`);
    return undefined;
  }

  async #watch(step: WatchStep): Promise<undefined> {
    const request = this.#compose(`GET ${step.watch}`, step.headers ?? {}, undefined);
    const opening = new AbortController();
    const limit = setTimeout(() => opening.abort(), this.#options.stepLimitMs);
    try {
      this.#watches.set(step.as, new WatchStream(await this.#target.open(request, opening.signal)));
    } finally {
      clearTimeout(limit);
    }
  }

  async #collect(step: CollectStep): Promise<Answer> {
    const watch = this.#watches.get(step.collect);
    if (watch === undefined) throw new Error(`no watch ${step.collect} was opened`);
    const marker = substituteAll(step.until, this.#variables) as CollectStep['until']; // strings stay strings
    const collected = await watch.collect(marker, AbortSignal.timeout(this.#options.stepLimitMs));
    return this.#normalise(collected, step);
  }

  async #await(step: AwaitStep): Promise<Answer | undefined> {
    const request = this.#compose(`GET ${step.awaiting}`, step.headers ?? {}, undefined);
    const deadline = AbortSignal.timeout(this.#options.stepLimitMs);
    let answer = await this.#send(request);
    for (let pauseMs = 5; !isWanted(answer, step); pauseMs = Math.min(pauseMs * 2, 100)) {
      if (deadline.aborted) {
        throw new Error(`not as wanted, last answer ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      answer = await this.#send(request);
    }
    this.#capture(step.capture ?? {}, answer);
    return step.setup === true ? undefined : this.#normalise(answer, step);
  }

  #compose(line: string, given: Readonly<Record<string, string>>, body: unknown): RawRequest {
    const [method = '', path = ''] = substitute(line, this.#variables).split(/ (.*)/s);
    const value = substituteAll(body, this.#variables);
    const text = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
    // substituteAll keeps the shape of what it is given.
    const headers = substituteAll(given, this.#variables) as Record<string, string>;
    const defaults: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
    return { method, path, headers: { ...defaults, ...headers }, body: text };
  }

  async #send(request: RawRequest): Promise<Answer> {
    const answer = await this.#target.send(request, AbortSignal.timeout(this.#options.stepLimitMs));
    return { ...answer, body: parseBody(answer.body) };
  }

  #capture(pointers: Readonly<Record<string, string>>, answer: Answer): void {
    for (const [name, pointer] of Object.entries(pointers)) {
      const value = valueAt(answer.body, pointer);
      if (typeof value !== 'string' && typeof value !== 'number') {
        throw new Error(
          `nothing to capture at ${pointer} of ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      }
      this.#variables.set(name, String(value));
    }
  }

  #normalise(
    answer: Answer,
    { ignore = [], managedFields = false }: { ignore?: readonly string[]; managedFields?: boolean },
    isDelete = false,
  ): Answer {
    const normalised = normalise(answer, this.#identities, { managedFields, isDelete });
    return without(normalised, ignore) as Answer; // pointers are those of parts that may be absent
  }

  #noteCreated(path: string, body: unknown): void {
    const name = valueAt(body, '/metadata/name');
    const [collection = '', query = ''] = path.split('?');
    if (typeof name !== 'string' || query.includes('dryRun')) return;
    this.#created(`${collection}/${name}`);
  }
}

/** The answer with a body of the values at these pointers. */
function onlyOf(answer: Answer, pointers: readonly string[] | undefined): Answer {
  if (pointers === undefined) return answer;
  const values = pointers.map((pointer) => [pointer, valueAt(answer.body, pointer) ?? null] as const);
  return { ...answer, body: Object.fromEntries(values) };
}

function isWanted(answer: Answer, step: AwaitStep): boolean {
  if (answer.status !== (step.status ?? 200)) return false;
  const equal = Object.entries(step.equals ?? {}).every(([pointer, value]) =>
    isDeepStrictEqual(valueAt(answer.body, pointer), value),
  );
  return equal && (step.absent ?? []).every((pointer) => valueAt(answer.body, pointer) === undefined);
}

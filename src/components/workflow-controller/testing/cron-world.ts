/** CronWorkflows on an API server, with a clock that a test moves. */
import type { TestContext } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, type Resource } from '@turnsole/kube/kinds/resources';
import { createLogger, Informer, waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import type { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { CronWorkflow, CronWorkflowSpec } from '@turnsole/workflows/kinds/cron-workflow';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { NO_TEMPLATES } from '@turnsole/workflows/validation/library';
import { CRON_INDEXES } from '../cron/children.ts';
import { CronController } from '../cron/cron-controller.ts';

const STEP_MS = 1_000;

/** Makes the API server serve kinds of Argo as their minimal definitions do: any fields, no subresource. */
export async function defineKinds(client: KubeClient, ...resources: readonly Resource[]): Promise<void> {
  for (const { group, version, plural, kind, namespaced } of resources) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const names = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` };
    await client.create<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names,
        scope: namespaced ? 'Namespaced' : 'Cluster',
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    });
  }
}

/** One namespace with a controller of its own. */
export class CronWorld {
  readonly client: KubeClient;
  readonly clock: FakeClock;
  readonly namespace: string;
  /** What was counted. */
  readonly counted: string[] = [];
  /** Requests of the controllers. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(client: KubeClient, clock: FakeClock, namespace: string) {
    this.client = client;
    this.clock = clock;
    this.namespace = namespace;
  }

  static async create(client: KubeClient, clock: FakeClock, namespace: string): Promise<CronWorld> {
    await client.create(NAMESPACES, { metadata: { name: namespace } });
    return new CronWorld(client, clock, namespace);
  }

  /** Starts a controller; the returned function stops it. @param client of the controller. @default the world's */
  async start(
    t: Pick<TestContext, 'diagnostic'>,
    client: KubeClient = this.client,
  ): Promise<() => Promise<void>> {
    const { clock, namespace, counted } = this;
    const logger = createLogger({ component: 'cron', level: 'silent', write: (line) => t.diagnostic(line) });
    const random = (): number => 0.5;
    const common = { client: this.#followed(client), clock, random, logger, namespace };
    const workflows = new Informer<Workflow>({ ...common, resource: WORKFLOWS, indexes: CRON_INDEXES });
    const controller = new CronController({
      ...common,
      workflows,
      libraryOf: () => NO_TEMPLATES,
      observer: {
        seen: () => {},
        triggered: ({ metadata }) => counted.push(`triggered ${metadata.name}`),
        policyApplied: (_, policy) => counted.push(policy),
        failed: (cause) => counted.push(cause),
      },
    });
    workflows.start();
    await controller.start();
    return async () => {
      await controller.stop();
      await workflows.stop();
    };
  }

  async schedule(spec: Partial<CronWorkflowSpec> = {}, name = 'nightly'): Promise<CronWorkflow> {
    return this.client.create<CronWorkflow>(
      CRON_WORKFLOWS,
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'CronWorkflow',
        metadata: { name, namespace: this.namespace },
        spec: {
          schedules: ['* * * * *'],
          workflowSpec: { entrypoint: 'ok', templates: [{ name: 'ok', suspend: {} }] },
          ...spec,
        },
      },
      { namespace: this.namespace },
    );
  }

  /** Advances the clock until the awaited promise resolves, but not while a controller waits for the server: that takes real time. */
  async moving<T>(awaited: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    awaited.then(over, over);
    for (;;) {
      while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
      if (isOver) return awaited;
      await this.clock.advance(STEP_MS);
    }
  }

  #followed(client: KubeClient): KubeClient {
    return new Proxy(client, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...call: readonly unknown[]): unknown => {
          const outcome: unknown = Reflect.apply(member, target, call);
          if (outcome instanceof Promise) {
            this.#underWay.add(outcome);
            const over = (): boolean => this.#underWay.delete(outcome);
            outcome.then(over, over);
          }
          return outcome;
        };
      },
    });
  }

  /** Resolves to the workflows, sorted by name, when they are as wanted. */
  async workflows(isWanted: (workflows: readonly Workflow[]) => boolean): Promise<readonly Workflow[]> {
    const { client, namespace } = this;
    const found = await waitForList<Workflow>(client, WORKFLOWS, isWanted, {
      namespace,
      timeoutMs: PATIENCE_MS,
    });
    return found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  async cron(isWanted: (cron: CronWorkflow) => boolean, name = 'nightly'): Promise<CronWorkflow> {
    const wanted = (cron: CronWorkflow | undefined): boolean => cron !== undefined && isWanted(cron);
    const place = { namespace: this.namespace, timeoutMs: PATIENCE_MS };
    const found = await waitForObject<CronWorkflow>(this.client, CRON_WORKFLOWS, name, wanted, place);
    if (found === undefined) throw new Error(`CronWorkflow ${name} is gone`);
    return found;
  }

  /** Does what the controller of workflows does at the end of one. */
  async end({ metadata: { name } }: Workflow, phase: WorkflowPhase): Promise<void> {
    const labels = { 'workflows.argoproj.io/completed': 'true', 'workflows.argoproj.io/phase': phase };
    const status = { phase, finishedAt: new Date(this.clock.now()).toISOString() };
    await this.client.patch(
      WORKFLOWS,
      name,
      'merge',
      { metadata: { labels }, status },
      { namespace: this.namespace },
    );
  }
}

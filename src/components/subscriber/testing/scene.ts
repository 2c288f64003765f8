/** An infrastructure of its own, a control plane and a subscriber between them, for one test. */
import type { TestApi } from '@turnsole/kube/testing/api';
import { until } from '@turnsole/kube/testing/until';
import type { RunEvent } from '../events/run-event.ts';
import { type ControlPlaneOptions, type Received, TestControlPlane } from './control-plane.ts';
import { createInfrastructure, INFRA_ID, type RunningSubscriber, startSubscriber } from './infrastructure.ts';

export interface Scene extends AsyncDisposable {
  readonly namespace: string;
  readonly server: TestControlPlane;
  readonly subscriber: RunningSubscriber;
}

/** The options that a test sets; the rest is usual. */
export interface SceneOptions extends ControlPlaneOptions {
  /** Further variables of the subscriber's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Makes the infrastructure otherwise, before the subscriber starts. */
  readonly prepare?: (namespace: string) => Promise<unknown>;
}

let number = 0;

/** Starts all of it; its end is that of the test. */
export async function openScene(api: TestApi, options: SceneOptions = {}): Promise<Scene> {
  const namespace = `infra-${++number}`;
  await createInfrastructure(api.client, namespace);
  await options.prepare?.(namespace);
  const server = await TestControlPlane.start(options);
  const { env, flags } = options;
  const subscriber = await startSubscriber(api.server.adminConfig, namespace, server.url, env, flags);
  return {
    namespace,
    server,
    subscriber,
    [Symbol.asyncDispose]: async () => {
      await subscriber[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

export const RUN_LABELS = {
  infra_id: INFRA_ID,
  'workflows.argoproj.io/controller-instanceid': INFRA_ID,
  workflow_id: 'experiment-1',
  revision_id: 'revision-1',
  notify_id: 'notify-1',
};

/** A Workflow that is a run of the infrastructure. */
export function workflow(name: string, change: object = {}): never {
  // Test data: written as it is.
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name, labels: RUN_LABELS },
    spec: {},
    ...change,
  } as never;
}

/** An engine of a run, or with other labels. */
export function engine(name: string, labels: Readonly<Record<string, string>>, status: object = {}): never {
  const metadata = { name, labels };
  const spec = { engineState: 'active' };
  // Test data: written as it is.
  return { apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosEngine', metadata, spec, status } as never;
}

/** The event that an operation reports. */
export function eventOf({ request }: Received): RunEvent {
  return JSON.parse(Buffer.from(String(request.executionData), 'base64').toString()) as RunEvent;
}

/** Resolves when the log has a line with such a text. */
export async function untilLogged({ subscriber }: Pick<Scene, 'subscriber'>, text: string): Promise<void> {
  await until(
    () => subscriber.lines.some((line) => line.includes(text)),
    () => `the log does not say ${JSON.stringify(text)}: ${subscriber.lines.join('')}`,
  );
}

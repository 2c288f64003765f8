import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient, WatchEvent } from '@turnsole/kube/client/types';
import type { CoreEvent, Job, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, JOBS, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { PodState } from './experiment-pod.ts';
import { followPod } from './follow-pod.ts';

type ContainerState = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state'] & object;

const JOB = 'pod-delete-x1';
const REFUSED = {
  metadata: { name: 'e' },
  reason: 'FailedCreate',
  message: 'pods "x" is forbidden: exceeded quota: q',
  involvedObject: { kind: 'Job', name: JOB, uid: 'j1' },
} as CoreEvent;

const ended = podThat({ terminated: { exitCode: 0, reason: 'Completed' } });

function podThat(state: ContainerState): Pod {
  return {
    metadata: { name: `${JOB}-p`, labels: { 'job-name': JOB } },
    spec: { containers: [] },
    status: {
      phase: state.terminated === undefined ? 'Running' : 'Succeeded',
      containerStatuses: [
        {
          name: JOB,
          image: 'i',
          imageID: '',
          ready: false,
          restartCount: 0,
          state,
        },
      ],
    },
  };
}

function forbidden(request: string): ApiError {
  return new ApiError(request, 403, { code: 403, reason: 'Forbidden', message: 'no' });
}

/** A cluster whose Job has made no pod yet, and a note of each request. */
class PodlessCluster {
  readonly calls: string[] = [];
  readonly clock = new FakeClock();
  readonly problems: string[] = [];
  job: Job | undefined = { metadata: { name: JOB, uid: 'j1' } };
  events: readonly CoreEvent[] = [REFUSED];
  failure: Error | undefined;
  pods: readonly Pod[] = [];
  mayWatch = true;
  #arrival = Promise.withResolvers<WatchEvent<Pod>>();

  arrive(pod: Pod): void {
    this.#arrival.resolve({ type: 'ADDED', object: pod });
  }

  follow(): Promise<PodState> {
    const client = {
      list: async ({ plural }: Resource) => {
        this.calls.push(`list ${plural}`);
        return {
          metadata: { resourceVersion: '1' },
          items: plural === EVENTS.plural ? this.events : this.pods,
        };
      },
      find: async ({ plural }: Resource) => {
        this.calls.push(`get ${plural}`);
        if (this.failure !== undefined) throw this.failure;
        return this.job;
      },
      logLines: () => {
        this.calls.push('get pods/log');
        return Readable.from([]);
      },
      watch: (_: Resource, options: { readonly signal: AbortSignal }) => this.#watch(options.signal),
    };
    return followPod({
      // Only these are called.
      client: client as unknown as KubeClient,
      clock: this.clock,
      namespace: 'shop',
      job: JOB,
      jobUid: 'j1',
      onState: () => true,
      onNoPod: ({ message }) => this.problems.push(message),
      signal: new AbortController().signal,
    });
  }

  count(call: string): number {
    return this.calls.filter((made) => made === call).length;
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<WatchEvent<Pod>> {
    this.calls.push(`watch ${PODS.plural}`);
    if (!this.mayWatch) throw forbidden('watch pods');
    const cut = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    yield await Promise.race([this.#arrival.promise, cut]);
    await cut;
  }
}

/** Time goes by in small steps, so that whatever a step causes has happened before the next. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 50) {
    await clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a Job without a pod is asked why, beside the one watch, at growing intervals', async () => {
  const cluster = new PodlessCluster();
  const end = cluster.follow();
  await pass(cluster.clock, 450);
  assert.deepEqual(cluster.calls, ['watch pods']);
  // Asked after 0.5, 1, 1.5, 2.25 and 3.375 s.
  await pass(cluster.clock, 3_500);
  assert.equal(cluster.count(`get ${JOBS.plural}`), 5);
  assert.deepEqual([cluster.count('list pods'), cluster.count('watch pods')], [0, 1]);
  assert.match(cluster.problems[0] ?? '', /cannot create its pod: .*exceeded quota: q/);
  cluster.arrive(ended);
  assert.equal((await end).kind, 'ended');
});

test('a Job that has made its pod is not asked for its Events', async () => {
  const cluster = new PodlessCluster();
  cluster.job = { metadata: { name: JOB, uid: 'j1' }, status: { active: 1 } };
  const end = cluster.follow();
  await pass(cluster.clock, 700);
  assert.deepEqual(cluster.calls, ['watch pods', 'get jobs']);
  cluster.arrive(ended);
  await end;
});

test('a Job that is gone makes no pod any more', async () => {
  const cluster = new PodlessCluster();
  const end = cluster.follow();
  cluster.job = undefined;
  await pass(cluster.clock, 700);
  assert.equal((await end).kind, 'gone');
  // The list has the last word.
  assert.deepEqual(cluster.calls, ['watch pods', 'get jobs', 'list pods', 'get jobs']);
});

test('a question that is refused ends the wait', async () => {
  const cluster = new PodlessCluster();
  cluster.failure = forbidden('get jobs');
  const end = cluster.follow();
  const refused = assert.rejects(end, /no/);
  await pass(cluster.clock, 700);
  await refused;
});

test('where no watch and no log is to be had, the pod is asked for at growing intervals', async () => {
  const cluster = new PodlessCluster();
  cluster.mayWatch = false;
  cluster.pods = [podThat({ running: {} })];
  const end = cluster.follow();
  await pass(cluster.clock, 10_000);
  assert.equal(cluster.count('get pods/log'), 3);
  const looks = cluster.count('list pods');
  assert.ok(looks > 10 && looks < 100, `${looks} looks in ten seconds`);
  cluster.pods = [ended];
  await pass(cluster.clock, 1_100);
  assert.equal((await end).kind, 'ended');
});

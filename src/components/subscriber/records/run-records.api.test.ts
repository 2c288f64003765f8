/** The records that a server gets that takes them, from an API server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/resources.ts';
import type { TimelineEntry } from '../../../api/timeline.ts';
import type { Received, Reply } from '../testing/control-plane.ts';
import { defineRunKinds, INFRA_ID } from '../testing/infrastructure.ts';
import { engine, openScene, type Scene } from '../testing/scene.ts';
import type { RunRecord } from './run-record.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

const OFFERS = { turnsole: { runRecords: true } };
/** Begins the names of engines that {@link untilAnswersAreRead} makes. */
const MARKER = 'marker-';
const LABELS = { infra_id: INFRA_ID, type: 'standalone_workflow', workflow_id: 'experiment-1' };

function step(number: number): TimelineEntry {
  const time = `2026-01-01T00:00:00.00${number}Z`;
  return {
    time,
    actor: 'experiment/pod-delete',
    step: 'Injected',
    message: `step ${number}`,
    runId: 'run-1',
  };
}

function recordOf({ request }: Received): RunRecord {
  return JSON.parse(inflateRawSync(Buffer.from(String(request.record), 'base64')).toString());
}

/** Records that came, in short; without those of {@link untilAnswersAreRead}. */
function receivedRecords({ server }: Scene): string[] {
  return server.of('runRecord').flatMap((received) => {
    const { kind, name, known, steps } = recordOf(received);
    if (name.startsWith(MARKER)) return [];
    return [`${kind} ${name} after ${known}: ${steps.map(({ message }) => message).join()}`];
  });
}

/** An engine that is a run of its own, with a result, both with a step. */
async function makeRun({ namespace }: Scene, name: string): Promise<string> {
  const place = { namespace };
  const timeline = { runId: 'run-1', timeline: [{ ...step(0), actor: 'operator' }] };
  const made = await api.client.create<KubeObject>(CHAOS_ENGINES, engine(name, LABELS, timeline), place);
  const uid = made.metadata.uid ?? '';
  const metadata = {
    name: `${name}-pod-delete`,
    labels: { ...LABELS, chaosUID: uid, 'turnsole.io/run-id': 'run-1' },
  };
  const result = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosResult',
    metadata,
    status: { timeline: [step(1)] },
  };
  await api.client.create(CHAOS_RESULTS, result as never, place);
  return uid;
}

let markers = 0;

/**
 * Resolves when the subscriber has read the answers to all that came: only then does it know what the server has. It sends one thing after
 * the other, so it has read them when the record of another run comes.
 */
async function untilAnswersAreRead({ namespace, server }: Scene): Promise<void> {
  const marker = `${MARKER}${++markers}`;
  const timeline = { runId: 'run-1', timeline: [step(0)] };
  await api.client.create<KubeObject>(CHAOS_ENGINES, engine(marker, LABELS, timeline), { namespace });
  await server.until(() => server.of('runRecord').some((received) => recordOf(received).name === marker));
}

async function addStep({ namespace }: Scene, name: string, ...numbers: readonly number[]): Promise<void> {
  const status = { timeline: numbers.map(step) };
  await api.client.patch(CHAOS_RESULTS, `${name}-pod-delete`, 'merge', { status }, { namespace });
}

test('steps of engine and result are sent with the id of their run, and afterwards only new ones', async () => {
  await using world = await openScene(api, { ackPayload: OFFERS });
  const { server } = world;
  const uid = await makeRun(world, 'e');
  await server.until(() => receivedRecords(world).length === 2);
  assert.deepEqual(receivedRecords(world).toSorted(), [
    'ChaosEngine e after 0: step 0',
    'ChaosResult e-pod-delete after 0: step 1',
  ]);
  assert.deepEqual(
    server.of('runRecord').map(({ request }) => request.experimentRunID),
    [uid, uid],
  );
  await untilAnswersAreRead(world);
  await addStep(world, 'e', 1, 2);
  await server.until(() => receivedRecords(world).length === 3);
  await untilAnswersAreRead(world);
  await addStep(world, 'e', 1, 2, 3);
  await server.until(() => receivedRecords(world).length === 4);
  assert.deepEqual(receivedRecords(world).slice(2), [
    'ChaosResult e-pod-delete after 1: step 2',
    'ChaosResult e-pod-delete after 2: step 3',
  ]);
});

test('a server that has less than was thought gets all of it', async () => {
  let answers: readonly string[] = ['TAKEN', 'INCOMPLETE'];
  const reply = ({ field, request }: Received): Reply | undefined => {
    if (field !== 'runRecord' || recordOf({ field, request }).kind !== 'ChaosResult') return undefined;
    const [answer = 'TAKEN', ...others] = answers;
    answers = others;
    return { data: answer };
  };
  await using world = await openScene(api, { ackPayload: OFFERS, reply });
  const ofResult = (): string[] => receivedRecords(world).filter((text) => text.startsWith('ChaosResult'));
  await makeRun(world, 'e');
  await world.server.until(() => ofResult().length === 1);
  await untilAnswersAreRead(world);
  await addStep(world, 'e', 1, 2);
  await world.server.until(() => ofResult().length === 3);
  assert.deepEqual(ofResult().slice(1), [
    'ChaosResult e-pod-delete after 1: step 2',
    'ChaosResult e-pod-delete after 0: step 1,step 2',
  ]);
});

test('steps of the time without a server are sent together when it is back', async () => {
  let isAway = false;
  const reply = ({ field }: Received): Reply | undefined =>
    isAway && field === 'runRecord' ? { status: 503, body: '' } : undefined;
  await using world = await openScene(api, { ackPayload: OFFERS, reply });
  await makeRun(world, 'e');
  await world.server.until(() => receivedRecords(world).length === 2);
  await untilAnswersAreRead(world);
  isAway = true;
  await addStep(world, 'e', 1, 2);
  await addStep(world, 'e', 1, 2, 3);
  // What is refused is offered again, with what is new meanwhile: now the subscriber has seen both steps.
  const both = 'ChaosResult e-pod-delete after 1: step 2,step 3';
  await world.server.until(() => receivedRecords(world).includes(both));
  const offered = receivedRecords(world).length;
  isAway = false;
  await world.server.until(() => receivedRecords(world).length > offered);
  assert.deepEqual(receivedRecords(world).slice(offered), [both]);
});

test('a server that does not offer to take records gets none', async () => {
  await using world = await openScene(api, {});
  await makeRun(world, 'e');
  await world.server.until(() => world.server.of('chaosExperimentRun').length > 0);
  await world.subscriber.stop();
  assert.deepEqual(receivedRecords(world), []);
});

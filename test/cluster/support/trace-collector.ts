import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { startOtlpReceiver } from '../../../src/process/traces/testing/otlp-receiver.ts';
import type { ReceivedSpan } from '../../../src/process/traces/testing/received.ts';
import { startCollector } from '../../traces/collector-process.ts';
import type { ClusterSettings } from './settings.ts';

/** A collector on this machine that pods reach. */
export interface TraceCollector extends AsyncDisposable {
  /** `HOST:PORT` for gRPC. */
  readonly endpoint: string;
  readonly spans: () => Promise<readonly ReceivedSpan[]>;
}

/** Starts OpenTelemetry's own where there is one, else the receiver of the tests, on the address of the node, which is this machine. */
export async function startTraceCollector(
  client: KubeClient,
  { collector }: ClusterSettings,
): Promise<TraceCollector> {
  const host = await addressOfNode(client);
  await using made = new AsyncDisposableStack();
  if (collector === undefined) {
    const ending = { after: (end: () => Promise<void>) => made.defer(end) };
    const receiver = await startOtlpReceiver(ending, undefined, host);
    return kept(made, receiver.grpc, async () => receiver.spans);
  }
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-collector-'));
  made.defer(() => rm(folder, { recursive: true, force: true }));
  const { grpc, spans } = made.use(await startCollector(collector, folder, host));
  return kept(made, grpc, spans);
}

function kept(made: AsyncDisposableStack, endpoint: string, spans: TraceCollector['spans']): TraceCollector {
  const parts = made.move();
  return { endpoint, spans, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function addressOfNode(client: KubeClient): Promise<string> {
  const { items } = await client.list<Node>(NODES);
  const found = items[0]?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  if (found === undefined) throw new Error('the node has no address');
  return found;
}

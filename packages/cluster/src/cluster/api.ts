/** Second stage: the API server, and how everything in this process reaches it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { InformerFactory } from '@turnsole/kube/controllers/informers';
import type { ConfigMap, Node, Pod, Secret, Service, ServiceAccount } from '@turnsole/kube/kinds/core';
import {
  CONFIG_MAPS,
  NODES,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
} from '@turnsole/kube/kinds/resources';
import { type Clock, type Informer, silentLogger } from '@turnsole/kube/runtime/index';
import { type ApiServer, createApiServer, OWN_CLIENT } from '../apiserver/index.ts';
import type { UndoStack } from '../base/undo-stack.ts';
import { CLUSTER_INDEXES } from '../controllers/shared/pod-indexes.ts';
import { removeJournals } from '../node/runtime/journals.ts';
import type { Host } from './host.ts';
import type { EmbeddedClusterOptions } from './types.ts';

/** The server and what its clients in this process share. */
export interface Api {
  readonly server: ApiServer;
  readonly client: KubeClient;
  /** One set for all components of the process. */
  readonly informers: InformerFactory;
  /** What the stages after this one follow. */
  readonly followed: Followed;
  /** Where pods reach the server. */
  readonly podAddress: { readonly host: string; readonly port: number };
  /** Certificate of the cluster's authority, PEM. */
  readonly authority: string;
}

interface Followed {
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly services: Informer<Service>;
  readonly configMaps: Informer<ConfigMap>;
  readonly secrets: Informer<Secret>;
  readonly accounts: Informer<ServiceAccount>;
}

const API_HOST = '127.0.0.1';
/** Port of the service `kubernetes`. */
const API_SERVICE_PORT = 443;

type ApiOptions = Pick<EmbeddedClusterOptions, 'port' | 'judges' | 'journals' | 'outside'>;

/** Port 0 or undefined: that of the last time, or else any. */
export async function startApi(
  host: Host,
  { port: wantedPort, judges = [], journals, outside }: ApiOptions,
  clock: Clock,
  stack: UndoStack,
): Promise<Api> {
  const { kept, nodeCount, addresses, reaper, isolated } = host;
  const server = createApiServer({
    dataDir: host.dataDir,
    runDir: host.runDir,
    host: API_HOST,
    serviceCidr: addresses.serviceCidr,
    journal: kept?.journal,
    port: wantedPort || (kept?.port ?? 0),
    listenElsewhere: outside?.listen,
  });
  await kept?.prepare(server.store, nodeCount);
  await listenOnUsualPort(server, !wantedPort && kept?.port !== undefined);
  stack.defer(() => server.close());
  for (const { resource, judge } of judges) server.judgeWrites(resource, judge);
  const client = createClient({ ...server.adminConfig, userAgent: OWN_CLIENT });
  stack.defer(() => client.close());
  const port = Number(new URL(server.server).port);
  kept?.remember({ port, nodes: nodeCount, serviceCidr: addresses.serviceCidr });
  const podAddress = isolated.isolation
    ? { host: isolated.isolation.addresses.apiAddress, port: API_SERVICE_PORT }
    : { host: API_HOST, port };
  const knownAs = `${podAddress.host}:${podAddress.port}`;
  if (journals !== undefined) {
    const { folder } = journals;
    const mark = journals.mark(knownAs);
    reaper.addJournals(folder, mark);
    // When the pods have ended, and with them the effects that journals record.
    stack.defer(() => removeJournals(folder, mark));
  }
  const informers = new InformerFactory({
    ...{ client, clock, random: Math.random, logger: silentLogger },
    indexes: CLUSTER_INDEXES,
  });
  stack.defer(() => informers.stop());
  const authority = readFileSync(join(host.dataDir, 'ca.crt'), 'utf8');
  return { server, client, informers, followed: follow(informers), podAddress, authority };
}

function follow(informers: InformerFactory): Followed {
  return {
    pods: informers.view<Pod>(PODS).informer,
    nodes: informers.view<Node>(NODES).informer,
    services: informers.view<Service>(SERVICES).informer,
    configMaps: informers.view<ConfigMap>(CONFIG_MAPS).informer,
    secrets: informers.view<Secret>(SECRETS).informer,
    accounts: informers.view<ServiceAccount>(SERVICE_ACCOUNTS).informer,
  };
}

/** Listens on the usual port; if another process has it and it may change, on any other. */
async function listenOnUsualPort(server: ApiServer, mayChange: boolean): Promise<void> {
  try {
    await server.listen();
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!mayChange || !isTaken) throw error;
    await server.listen(0);
  }
}

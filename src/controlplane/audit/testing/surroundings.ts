import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { startTestServer } from '@turnsole/kube/testing/http-server';
import crds from '../../../api/generated/crds.json' with { type: 'json' };
import { CHAOS_ENGINES, type ChaosEngine } from '../../../api/index.ts';
import { ObservedCluster } from '../../cluster/observed-cluster.ts';
import { zipOf } from '../../hub/testing/zip.ts';
import { startGitServer } from '../../remote/testing/git-server.ts';
import { TestServer } from '../../server/testing/test-server.ts';
import type { TestDatabase } from '../../store/testing/databases.ts';
import { FakeProvider } from '../../user/oidc/testing/fake-provider.ts';

/** A server with everything that its operations reach out to. */
export interface Surroundings {
  readonly server: TestServer;
  /** Of a Git repository, which takes pushes. */
  readonly repo: string;
  /** Of a zip file with a hub. */
  readonly zip: string;
  /** An engine in the cluster that the server looks at itself. */
  readonly engine: { readonly namespace: string; readonly name: string };
  /** A browser that comes back from the provider of identities. */
  signInByProvider(): Promise<number>;
}

const CALLBACK = 'https://chaos.example.com/auth/dex/callback';
const ENGINE = { namespace: 'default', name: 'nginx-chaos' };

/** Starts all of it; `stack` ends it. */
export async function startSurroundings(
  database: TestDatabase,
  stack: AsyncDisposableStack,
): Promise<Surroundings> {
  const git = stack.use(await startGitServer());
  await git.commit({ 'faults/k/a/fault.yaml': 'kind: ChaosExperiment' });
  const files = stack.use(
    await startTestServer((_request, response) => {
      const zip = zipOf([{ name: 'faults/k/a/fault.yaml', content: 'zipped' }]);
      response.writeHead(200, { 'content-type': 'application/zip' }).end(zip);
    }),
  );
  const api = stack.use(await startApi(createApiServer));
  for (const crd of crds as unknown as KubeObject[])
    await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
  const spec = {
    engineState: 'active',
    chaosServiceAccount: 'litmus',
    experiments: [{ name: 'pod-delete' }],
  };
  const object = { metadata: { name: ENGINE.name }, spec };
  await api.client.create<ChaosEngine>(CHAOS_ENGINES, object as never, { namespace: ENGINE.namespace });
  const cluster = new ObservedCluster(api.client, 'cluster', systemClock, silentLogger);
  cluster.start();
  stack.defer(() => cluster.stop());
  const provider = await FakeProvider.start(CALLBACK);
  const { issuer, clientId, clientSecret } = provider;
  const oidc = { issuer, clientId, clientSecret, callbackUrl: CALLBACK, tokenInUrl: false };
  const settings = { oidc, publicUrl: 'https://chaos.example.com' };
  const server = await TestServer.start(database, { cluster, settings });
  const signInByProvider = async (): Promise<number> => {
    const begun = await server.app.inject({ url: '/dex/login' });
    const cookie = String(begun.headers['set-cookie']).split(';', 1)[0] ?? '';
    const claims = { sub: '7', email: 'eve@example.com', email_verified: true, name: 'Eve' };
    const path = provider.signedIn(new URL(String(begun.headers.location)), claims);
    const reply = await server.app.inject({ url: path, headers: { cookie, host: 'chaos.example.com' } });
    return reply.statusCode;
  };
  return { server, repo: git.url, zip: files.url, engine: ENGINE, signInByProvider };
}

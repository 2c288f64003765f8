/** Images of applications in an ordinary user's cluster, loaded and started as he does it: as for root with further ids, and with a reason without. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type ApplicationImage,
  nginxImage,
  nodeImage,
  postgresImage,
  pythonImage,
  redisImage,
  staticImage,
} from '@turnsole/cluster/node/testing/application-images';
import { deployment, NGINX, POSTGRES, REDIS } from '@turnsole/cluster/node/testing/application-manifests';
import { writeOciImage } from '@turnsole/cluster/node/testing/oci-image';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { CoreEvent, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';
import { pathWithout, type Somebody, unprivilegedUser, whyNoSubIds } from '../support/unprivileged.ts';
import { applyObjects, applyText } from '../support/up.ts';
import { userCluster, whyNotRootless } from '../support/user-cluster.ts';

const LIMIT_MS = 600_000;
const skip =
  (process.getuid?.() === 0 ? false : 'files of other users in images take root') || (await whyNotRootless());

/** How each is deployed. */
const APPLICATIONS = {
  redis: REDIS,
  postgres: POSTGRES,
  nginx: NGINX,
  node: deployment('node', 3000, 'tcpSocket: { port: 3000 }'),
  python: deployment('python', 8000, 'httpGet: { path: /, port: 8000 }'),
  static: deployment('static', 8080, 'httpGet: { path: /, port: 8080 }'),
} as const;
type Application = keyof typeof APPLICATIONS;

describe('images of applications, as an ordinary user', { skip, concurrency: 2 }, () => {
  /** Archives by application, of those whose programs this machine has. */
  const archives = new Map<Application, string>();
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  before(async () => {
    folder = await temporaryFolder();
    execFileSync('chmod', ['755', folder.path]);
    const images: Record<Application, ApplicationImage> = {
      redis: redisImage(),
      postgres: postgresImage(),
      nginx: nginxImage(),
      node: nodeImage(),
      python: pythonImage(),
      static: staticImage(folder.path),
    };
    for (const [name, image] of Object.entries(images) as [Application, ApplicationImage][]) {
      if (image.missing !== undefined) continue;
      const layout = writeOciImage(folder.path, { name: `docker.io/mine/${name}:1`, ...image });
      const archive = join(folder.path, `${name}.tar`);
      execFileSync('tar', ['-C', layout, '-cf', archive, '.']);
      rmSync(layout, { recursive: true });
      archives.set(name, archive);
    }
  });
  after(() => folder?.[Symbol.asyncDispose]());

  /** Takes images into the user's store; gives their names. */
  async function load(user: Somebody, wanted: readonly Application[]): Promise<readonly Application[]> {
    const found = wanted.filter((name) => archives.has(name));
    const paths = found.flatMap((name) => archives.get(name) ?? []);
    const { code, stderr } = await turnsole(['image', 'load', ...paths], user.env, user.prefix);
    assert.equal(code, 0, stderr);
    return found;
  }

  async function podOf(client: KubeClient, app: string): Promise<string> {
    const { items } = await client.list<Pod>(PODS, { namespace: 'default', labelSelector: `app=${app}` });
    return items[0]?.metadata.name ?? assert.fail(`${app} has no pod`);
  }

  async function exec(client: KubeClient, pod: string, ...command: readonly string[]): Promise<string> {
    const place = {
      namespace: 'default',
      name: pod,
      container: 'main',
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    const { stdout, stderr, exitCode } = await client.exec({ ...place, command });
    assert.equal(exitCode, 0, `${command.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  test('with further ids each runs unmodified, with the users of its image', {
    timeout: LIMIT_MS,
    skip: whyNoSubIds(),
  }, async (t) => {
    const user = await unprivilegedUser({ subIds: true });
    const names = await load(user, Object.keys(APPLICATIONS) as Application[]);
    await using cluster = await userCluster([], user);
    const { client } = cluster;
    await applyText(client, names.map((name) => APPLICATIONS[name]).join('---\n'));
    const has = (name: Application): boolean => {
      if (!names.includes(name)) t.diagnostic(`${name}: not tried, its programs are not on this machine`);
      return names.includes(name);
    };
    if (has('redis')) {
      assert.equal(
        await exec(client, 'redis-0', 'redis-cli', 'config', 'get', 'maxmemory'),
        'maxmemory\n8388608',
      );
      assert.equal(await exec(client, 'redis-0', 'sh', '-c', 'id -u; id -G'), '999\n1000 44');
    }
    if (has('postgres')) {
      const query = ['psql', '-U', 'postgres', '-Atc'];
      await exec(client, 'postgres-0', ...query, 'create table t as select 42 as n');
      assert.equal(
        await exec(client, 'postgres-0', 'stat', '-c', '%u %a', '/var/lib/postgresql/data/pg'),
        '70 700',
      );
      const { uid } = (await client.get<Pod>(PODS, 'postgres-0', { namespace: 'default' })).metadata;
      await client.delete<Pod>(PODS, 'postgres-0', { namespace: 'default' });
      await waitForObject<Pod>(
        client,
        PODS,
        'postgres-0',
        (pod) => pod?.metadata.uid !== uid && pod?.status?.containerStatuses?.[0]?.ready === true,
        { namespace: 'default', timeoutMs: LIMIT_MS },
      );
      assert.equal(await exec(client, 'postgres-0', ...query, 'select n from t'), '42');
    }
    if (has('nginx')) {
      const users = await exec(client, await podOf(client, 'nginx'), 'sh', '-c', 'stat -c %u /proc/[0-9]*');
      assert.deepEqual([...new Set(users.split('\n'))].toSorted(), ['0', '101']);
    }
    const caller = has('node') ? await podOf(client, 'node') : undefined;
    if (caller === undefined) return;
    const answers = {
      nginx: 'from the map',
      python: 'python 0 None',
      static: 'uid 65532 gid 0 in /work with [a b c] hello',
    };
    const ask = 'fetch(process.argv[1]).then((answer) => answer.text()).then(console.log)';
    for (const [name, answer] of Object.entries(answers) as [Application, string][]) {
      const port = /ports: \[{ port: (\d+)/.exec(APPLICATIONS[name])?.[1];
      if (has(name))
        assert.equal(await exec(client, caller, 'node', '-e', ask, `http://${name}:${port}/`), answer);
    }
    const own = JSON.parse(await exec(client, caller, 'node', '-e', ask, 'http://node:3000/')) as object;
    assert.deepEqual(own, { uid: 1000, cwd: '/app', home: '/home/node', host: caller });
  });

  test('with one id, what wants another user says so on its pod', { timeout: LIMIT_MS }, async () => {
    const user = await unprivilegedUser();
    const PATH = `${await pathWithout(user.folder, ['newuidmap'])}${delimiter}/none`;
    const own = { ...user, env: { ...user.env, PATH } };
    const names = await load(own, ['postgres', 'nginx', 'static']);
    await using cluster = await userCluster([], own);
    const { client } = cluster;
    const said = {
      postgres: /^container main ended with code 1: programs that change their user, .*\/etc\/subuid/,
      nginx: /^container main ended with code 1: programs that change their user, .*\/etc\/subuid/,
      static: /^container main: the image’s user 65532:0: it runs as root of the container; .*newuidmap/,
    };
    await applyObjects(client, names.map((name) => APPLICATIONS[name]).join('---\n'));
    const isOf = (event: CoreEvent, name: string): boolean =>
      event.involvedObject.name?.startsWith(`${name}-`) === true;
    const events = await waitForList<CoreEvent>(
      client,
      EVENTS,
      (found) => names.every((name) => found.some((event) => isOf(event, name))),
      { namespace: 'default', fieldSelector: 'reason=NotSupported', timeoutMs: LIMIT_MS },
    );
    for (const name of names as (keyof typeof said)[]) {
      const ofPod = events.filter((event) => isOf(event, name));
      for (const { message } of ofPod) assert.match(message ?? '', said[name]);
    }
  });
});

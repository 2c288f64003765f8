/** Containers of real images on isolated pods: programs, users, files and ends are as the images' makers meant them. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { CoreEvent, Deployment, Pod, Service, StatefulSet } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, EVENTS, PODS, SERVICES, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type Cluster, startCluster } from './cluster/start-cluster.ts';
import { openImageStore } from './images/open-image-store.ts';
import type { ImageStore } from './images/types.ts';
import {
  type ApplicationImage,
  baseLayer,
  nginxImage,
  nodeImage,
  postgresImage,
  pythonImage,
  redisImage,
  staticImage,
} from './node/testing/application-images.ts';
import { deployment, NGINX, POSTGRES, REDIS } from './node/testing/application-manifests.ts';
import { isolationMissing } from './node/testing/isolation-missing.ts';
import { type LayerContent, writeOciImage } from './node/testing/oci-image.ts';

const missing = await isolationMissing();
const skip = missing === undefined ? false : `pods cannot be isolated here: ${missing}`;

describe('containers of images', { skip }, () => {
  let folder: string;
  let store: ImageStore;
  let cluster: Cluster;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnsole-container-images-'));
    chmodSync(folder, 0o700);
    store = await openImageStore({ directory: join(folder, 'store') });
    const imageStore = { mayHaveAny: () => true, open: () => Promise.resolve(store) };
    cluster = await startCluster({ isolation: 'full', nodes: 2, imageStore });
  });
  after(async () => {
    await cluster?.close({ graceMs: 0 });
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Loads an image under a name of Docker Hub; skips the test where it cannot be made. */
  async function load(t: TestContext, name: string, image: ApplicationImage): Promise<boolean> {
    if (image.missing !== undefined) {
      t.skip(`${image.missing} is not there`);
      return false;
    }
    const layout = writeOciImage(folder, { name: `docker.io/mine/${name}:1`, ...image });
    await store.load(layout);
    rmSync(layout, { recursive: true, force: true });
    return true;
  }

  const exec = async (pod: string, ...command: string[]): Promise<string> => {
    const container = (await podOf(pod)).spec?.containers[0]?.name ?? '';
    const place = { namespace: 'default', name: pod, container, signal: AbortSignal.timeout(PATIENCE_MS) };
    const { stdout, stderr, exitCode } = await cluster.client.exec({ ...place, command });
    assert.equal(exitCode, 0, `${command.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const podOf = (name: string): Promise<Pod> => cluster.client.get<Pod>(PODS, name, { namespace: 'default' });
  const podsOf = async (app: string): Promise<Pod[]> =>
    (await cluster.client.list<Pod>(PODS, { namespace: 'default', labelSelector: `app=${app}` })).items;
  const logOf = (name: string): Promise<string> => cluster.client.log(name, { namespace: 'default' });

  async function eventsOf(name: string): Promise<string[]> {
    const { items } = await cluster.client.list<CoreEvent>(EVENTS, { namespace: 'default' });
    const own = items.filter(({ involvedObject }) => involvedObject.name === name);
    return own.map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** Applies a bare pod that runs a shell script of an image to its end; gives what it printed. */
  async function run(
    name: string,
    image: string,
    script: string,
    spec = '',
    container = '',
  ): Promise<string> {
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  ${spec}
  containers:
    - name: main
      image: ${image}
      command: [/bin/sh, -c, ${JSON.stringify(script)}]
      ${container}
`);
    const pod = await cluster.waitFor<Pod>(PODS, name, (found) =>
      /Succeeded|Failed/.test(found?.status?.phase ?? ''),
    );
    const said = await logOf(name);
    assert.equal(pod?.status?.phase, 'Succeeded', `${said} ${JSON.stringify(pod?.status)}`);
    return said.trim();
  }

  const addressOf = async (service: string): Promise<string> => {
    const { spec } = await cluster.client.get<Service>(SERVICES, service, { namespace: 'default' });
    return `http://${spec?.clusterIP}:${spec?.ports?.[0]?.port}/`;
  };
  const ask = async (service: string): Promise<string> => {
    const answer = await fetch(await addressOf(service), { signal: AbortSignal.timeout(PATIENCE_MS) });
    return (await answer.text()).trim();
  };

  test('a static program without a shell: its user, words, variables, folder and stop signal', async (t) => {
    if (!(await load(t, 'static', staticImage(folder)))) return;
    await cluster.apply(deployment('static', 8080, 'httpGet: { path: /, port: 8080 }'));
    await cluster.waitFor<Deployment>(DEPLOYMENTS, 'static', 'Available');
    assert.equal(await ask('static'), 'uid 65532 gid 0 in /work with [a b c] hello');
    const [pod] = await podsOf('static');
    const name = pod?.metadata.name ?? '';
    await assert.rejects(exec(name, 'sh', '-c', 'true'), /exec: "sh": executable file not found in \$PATH/);
    const { digest } = (await store.find('mine/static:1')) ?? {};
    assert.equal(pod?.status?.containerStatuses?.[0]?.imageID, `docker.io/mine/static@${digest}`);
    assert.ok(
      (await eventsOf(name)).includes(
        'Pulled: Container image "mine/static:1" already present on machine and can be accessed by the pod',
      ),
    );
    const log = cluster.client.log(name, { namespace: 'default', follow: true });
    await cluster.client.delete<Pod>(PODS, name, { namespace: 'default' });
    assert.match(await log, /ended by user defined signal 1/);
  });

  test('sixty-one layers: the highest file wins, what was removed is not there, and nothing of the host is', async (t) => {
    const layers: LayerContent[] = [
      { ...baseLayer(['app:x:7:8::/home/app:/bin/sh'], ['app:x:8:', 'logs:x:44:app']) },
      { files: { '/gone': 'x', '/dir/gone': 'x', '/dir/kept': 'kept', '/n': '-1', '/tmp/of-the-image': '' } },
      ...Array.from({ length: 58 }, (_, index) => ({
        files: { '/n': String(index), [`/layer/${index}`]: '' },
      })),
      { removed: ['/gone', '/dir/gone'], links: { '/etc/resolv.conf': '../run/resolv.conf' } },
    ];
    const config = {
      User: 'app:logs',
      WorkingDir: '/not/there/yet',
      Env: ['A=of the image', 'LD_PRELOAD=/none.so'],
      Volumes: { '/dir': {} },
    };
    assert.ok(await load(t, 'layers', { layers, config }));
    const script = [
      'cat /n; echo; ls /layer | grep -c .; ls /dir; [ ! -e /gone ] && echo none',
      'id -u; id -g; id -G; pwd; echo "$A $HOME $LD_PRELOAD"; ls /tmp',
      '[ -e /etc/os-release ] || echo no host; cat /etc/hostname; grep -c nameserver /etc/resolv.conf',
    ].join('; ');
    const said = await run('layers', 'mine/layers:1', `exec 2>/dev/null; ${script}`);
    const [complaint, ...lines] = said.split('\n');
    // Of the shell itself, and of no program before it.
    assert.match(complaint ?? '', /\/none\.so' from LD_PRELOAD cannot be preloaded/);
    assert.deepEqual(lines, [
      ...['57', '58', 'kept', 'none', '7', '44', '44', '/not/there/yet', 'of the image /home/app /none.so'],
      ...['of-the-image', 'no host', 'layers', '1'],
    ]);
  });

  test('a root that is read-only keeps nothing but in its volumes, and contexts win over the image', async (t) => {
    const config = { User: 'app', Volumes: { '/dir': {} } };
    const layers = [
      baseLayer(['app:x:7:8::/home/app:/bin/sh']),
      { files: { '/dir/of-the-image': 'x' }, folders: ['/dir 7:8 755'] },
    ];
    assert.ok(await load(t, 'readonly', { layers, config }));
    const said = await run(
      'readonly',
      'mine/readonly:1',
      'touch /dir/new && ls /dir; touch /x || echo "no"; touch /dev/shm/x && id -u; id -G; touch /mount/x && stat -c %a%g /mount/x',
      'securityContext: { runAsUser: 7, runAsGroup: 9, fsGroup: 2000 }\n  volumes: [{ name: v, emptyDir: {} }]',
      'securityContext: { readOnlyRootFilesystem: true }\n      volumeMounts: [{ name: v, mountPath: /mount }]',
    );
    const lines = said.split('\n').filter((line) => !line.includes('Read-only'));
    assert.deepEqual(lines, ['new', 'of-the-image', 'no', '7', '9 2000', '6442000']);
  });

  test('Redis: a user by name, a configuration, a probe by command, and data that outlive the pod', async (t) => {
    if (!(await load(t, 'redis', redisImage()))) return;
    await cluster.apply(REDIS);
    await cluster.waitFor<StatefulSet>(STATEFUL_SETS, 'redis', (set) => set?.status?.readyReplicas === 1);
    assert.equal(await exec('redis-0', 'redis-cli', 'set', 'key', 'kept'), 'OK');
    assert.equal(await exec('redis-0', 'redis-cli', 'config', 'get', 'maxmemory'), 'maxmemory\n8388608');
    assert.equal(await exec('redis-0', 'id', '-G'), '1000 44');
    assert.equal(await exec('redis-0', 'redis-cli', 'save'), 'OK');
    const { uid } = (await podOf('redis-0')).metadata;
    await cluster.client.delete<Pod>(PODS, 'redis-0', { namespace: 'default' });
    await cluster.waitFor<Pod>(
      PODS,
      'redis-0',
      (pod) => pod?.metadata.uid !== uid && pod?.status?.containerStatuses?.[0]?.ready === true,
    );
    assert.equal(await exec('redis-0', 'redis-cli', 'get', 'key'), 'kept');
  });

  test('PostgreSQL: its entry point begins as root, gives its folder away and becomes another user', async (t) => {
    if (!(await load(t, 'postgres', postgresImage()))) return;
    await cluster.apply(POSTGRES);
    await cluster.waitFor<StatefulSet>(STATEFUL_SETS, 'postgres', (set) => set?.status?.readyReplicas === 1);
    const query = ['psql', '-U', 'postgres', '-Atc'];
    await exec('postgres-0', ...query, 'create table t (n int)');
    await exec('postgres-0', ...query, 'insert into t values (42)');
    assert.equal(await exec('postgres-0', 'stat', '-c', '%u %a', '/var/lib/postgresql/data/pg'), '70 700');
    const { uid } = (await podOf('postgres-0')).metadata;
    await cluster.client.delete<Pod>(PODS, 'postgres-0', { namespace: 'default' });
    await cluster.waitFor<Pod>(
      PODS,
      'postgres-0',
      (pod) => pod?.metadata.uid !== uid && pod?.status?.containerStatuses?.[0]?.ready === true,
    );
    assert.equal(await exec('postgres-0', ...query, 'select n from t'), '42');
    assert.match(await logOf('postgres-0'), /database system was shut down/, 'SIGINT let it end in order');
  });

  test('nginx: workers of another user, a site from a config map, and a shutdown by SIGQUIT', async (t) => {
    if (!(await load(t, 'nginx', nginxImage()))) return;
    await cluster.apply(NGINX);
    await cluster.waitFor<Deployment>(DEPLOYMENTS, 'nginx', 'Available');
    assert.equal(await ask('nginx'), 'from the map');
    const [pod] = await podsOf('nginx');
    const users = await exec(pod?.metadata.name ?? '', 'sh', '-c', 'stat -c %u /proc/[0-9]*');
    assert.ok(users.split('\n').includes('101'), users);
  });

  test('a Node application: its own user, folder and command', async (t) => {
    if (!(await load(t, 'node', nodeImage()))) return;
    await cluster.apply(
      deployment('node', 3000, 'tcpSocket: { port: 3000 }', 'env: [{ name: SETTING, value: of the pod }]'),
    );
    await cluster.waitFor<Deployment>(DEPLOYMENTS, 'node', 'Available');
    const [pod] = await podsOf('node');
    const host = pod?.metadata.name;
    const expected = { uid: 1000, cwd: '/app', home: '/home/node', set: 'of the pod', host };
    assert.deepEqual(JSON.parse(await ask('node')), expected);
  });

  test('a Python application', async (t) => {
    if (!(await load(t, 'python', pythonImage()))) return;
    await cluster.apply(
      deployment('python', 8000, 'httpGet: { path: /, port: 8000 }', 'env: [{ name: SETTING, value: x }]'),
    );
    await cluster.waitFor<Deployment>(DEPLOYMENTS, 'python', 'Available');
    assert.equal(await ask('python'), 'python 0 x');
  });

  const refused: [name: string, image: string, extra: string, reason: string, message: RegExp][] = [
    [
      'no-user',
      'mine/no-user:1',
      '',
      'CreateContainerError',
      /unable to find user nobody-knows: no matching entries in passwd/,
    ],
    ['no-command', 'mine/no-command:1', '', 'CreateContainerError', /no command specified/],
    [
      'never',
      'mine/unknown:1',
      'imagePullPolicy: Never',
      'ErrImageNeverPull',
      /is not present with pull policy of Never$/,
    ],
    ['no-name', 'Mine/Unknown', '', 'InvalidImageName', /repository name \(Unknown\) must be lowercase/],
    [
      'as-root',
      'mine/no-command:1',
      'securityContext: { runAsNonRoot: true }',
      'CreateContainerConfigError',
      /image will run as root/,
    ],
    ['no-registry', '127.0.0.1:1/mine/unknown:1', '', 'ErrImagePull', /\S/],
  ];
  test('what cannot run says why', async (t) => {
    const user = { layers: [baseLayer()], config: { User: 'nobody-knows', Entrypoint: ['/bin/sh'] } };
    assert.ok(await load(t, 'no-user', user));
    assert.ok(await load(t, 'no-command', { layers: [baseLayer()], config: {} }));
    for (const [name, image, extra, reason, message] of refused) {
      await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: { containers: [{ name: main, image: "${image}"${extra === '' ? '' : `, ${extra}`} }] }
`);
      const pod = await cluster
        .waitFor<Pod>(PODS, name, (found) => {
          const waiting = found?.status?.containerStatuses?.[0]?.state?.waiting;
          return (
            waiting !== undefined && !/^(?:ContainerCreating|ImagePullBackOff)$/.test(waiting.reason ?? '')
          );
        })
        .catch((error: unknown) => assert.fail(`${name}: ${messageOf(error)}`));
      const waiting = pod?.status?.containerStatuses?.[0]?.state?.waiting;
      assert.equal(waiting?.reason, reason, waiting?.message);
      assert.match(waiting?.message ?? '', message);
    }
    assert.ok((await eventsOf('no-registry')).some((text) => text.startsWith('Pulling: Pulling image')));
  });

  test('init containers, sidecars, hooks, terminals and copies of an image', async (t) => {
    assert.ok(await load(t, 'parts', { layers: [baseLayer()], config: { Cmd: ['sleep', '3600'] } }));
    await cluster.apply(PARTS);
    await cluster.waitFor<Pod>(PODS, 'parts', (pod) => pod?.status?.containerStatuses?.[0]?.ready === true);
    assert.equal(
      await exec('parts', 'sh', '-c', 'cat /shared/init /shared/sidecar /tmp/hook'),
      'init\nsidecar\nhook',
    );
    assert.equal(
      await exec('parts', 'sh', '-c', 'tar -cf - /shared 2>/dev/null | tar -tf - | grep -c init'),
      '1',
    );
    const said = await run(
      'terminal',
      'mine/parts:1',
      'test -t 0 && stat -c "%n %u" /dev/pts/0',
      '',
      'tty: true',
    );
    assert.equal(said, '/dev/pts/0 0');
  });
});

const PARTS = `
apiVersion: v1
kind: Pod
metadata: { name: parts }
spec:
  terminationGracePeriodSeconds: 1
  volumes: [{ name: shared, emptyDir: {} }]
  initContainers:
    - name: init
      image: mine/parts:1
      command: [sh, -c, echo init > /shared/init]
      volumeMounts: [{ name: shared, mountPath: /shared }]
    - name: sidecar
      image: mine/parts:1
      restartPolicy: Always
      command: [sh, -c, echo sidecar > /shared/sidecar; sleep 3600]
      startupProbe: { periodSeconds: 1, exec: { command: [cat, /shared/sidecar] } }
      volumeMounts: [{ name: shared, mountPath: /shared }]
  containers:
    - name: main
      image: mine/parts:1
      lifecycle: { postStart: { exec: { command: [sh, -c, echo hook > /tmp/hook] } } }
      volumeMounts: [{ name: shared, mountPath: /shared }]
`;

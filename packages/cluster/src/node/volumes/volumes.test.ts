import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { LOOK_EVERY_MS } from '@turnsole/kube/base/time-of-day';
import type { ConfigMap, Pod, Volume } from '@turnsole/kube/kinds/core';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { PodPlacement } from '../env/downward.ts';
import { writePayload } from './atomic-writer.ts';
import { makeMounts, underRoot } from './mounts.ts';
import { checkedPath, type VolumeSources } from './payload.ts';
import { PodVolumes, VolumeError } from './pod-volumes.ts';

let folder: string;
let configMaps: Map<string, ConfigMap>;
let tokens: number;
let clock: FakeClock;
let errors: VolumeError[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnsole-volumes-'));
  configMaps = new Map();
  tokens = 0;
  clock = new FakeClock();
  errors = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sources: VolumeSources = {
  references: {
    configMap: async (_namespace, name) => configMaps.get(name),
    secret: async (_namespace, name) =>
      name === 'login'
        ? { metadata: { name }, data: { password: Buffer.from('s3cret').toString('base64') } }
        : undefined,
  },
  token: async (_pod, audience, seconds) => {
    tokens += 1;
    return {
      token: `token ${tokens} for ${audience ?? 'default'}`,
      expiresAtMs: clock.now() + seconds * 1000,
    };
  },
  clusterAuthority: 'PEM',
};

const placement: PodPlacement = {
  nodeName: 'turnsole-1',
  hostIP: '127.20.254.1',
  podIP: '127.20.64.7',
  allocatable: { cpus: 2, memoryBytes: 4096 },
};

function podWith(...volumes: Volume[]): Pod {
  return {
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
    spec: { containers: [{ name: 'c' }], volumes },
  };
}

function volumesOf(pod: Pod, appliesGroup = false): PodVolumes {
  return new PodVolumes(pod, {
    directory: join(folder, 'pod'),
    claimsDirectory: join(folder, 'claims'),
    placement,
    sources,
    clock,
    appliesGroup,
    onError: (error) => errors.push(error),
  });
}

const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');
const file = (text: string, mode = 0o644) => ({ data: Buffer.from(text), mode });

test('a payload replaces the one before as a whole, with modes and folders', async () => {
  const directory = join(folder, 'v');
  writePayload(
    directory,
    new Map([
      ['a', file('1')],
      ['sub/b', file('2', 0o400)],
      ['old', file('x')],
    ]),
  );
  assert.equal(read('v', 'sub', 'b'), '2');
  assert.equal(statSync(join(directory, 'sub/b')).mode & 0o777, 0o400);
  writePayload(
    directory,
    new Map([
      ['a', file('new')],
      ['fresh', file('3')],
    ]),
  );
  assert.equal(read('v', 'a'), 'new');
  const names = readdirSync(directory);
  assert.deepEqual(names.filter((name) => !name.startsWith('..')).sort(), ['a', 'fresh']);
  assert.equal(names.filter((name) => name.startsWith('..v')).length, 1, 'the folder before is removed');
});

test('projected: token, authority, namespace; the token is replaced at 80 % of its life', async () => {
  const volumes = volumesOf(
    podWith({
      name: 'access',
      projected: {
        sources: [
          { serviceAccountToken: { path: 'token', expirationSeconds: 1000 } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
          { secret: { name: 'login', items: [{ key: 'password', path: 'deep/password', mode: 0o400 }] } },
        ],
      },
    }),
  );
  await volumes.prepare();
  const at = (name: string): string => read('pod', 'volumes', 'access', name);
  assert.deepEqual(['token', 'ca.crt', 'namespace', 'deep/password'].map(at), [
    'token 1 for default',
    'PEM',
    'shop',
    's3cret',
  ]);
  clock.advanceSync(800_000);
  await volumes.close();
  assert.equal(at('token'), 'token 1 for default', 'closing wins over a refresh that has not begun');
});

test('a token is refreshed when its time comes', async () => {
  const pod = podWith({
    name: 'access',
    projected: {
      sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 1000, audience: 'vault' } }],
    },
  });
  const volumes = volumesOf(pod);
  await volumes.prepare();
  await clock.advance(800_000);
  await clock.untilPending(1); // the next refresh is scheduled when this one is written
  assert.equal(read('pod', 'volumes', 'access', 'token'), 'token 2 for vault');
  await volumes.close();
});

test('a token that expired while the machine slept is replaced soon, and before a container starts', async () => {
  const pod = podWith({
    name: 'access',
    projected: {
      sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 1000, audience: 'vault' } }],
    },
  });
  const volumes = volumesOf(pod);
  const token = (): string => read('pod', 'volumes', 'access', 'token');
  await volumes.prepare();
  const first = token();
  await volumes.renew();
  assert.equal(token(), first, 'it is still young');
  clock.set(3_600_000);
  await volumes.renew();
  const second = token();
  assert.notEqual(second, first);
  clock.set(3_600_000);
  await clock.advance(LOOK_EVERY_MS);
  await volumes.idle();
  assert.notEqual(token(), second);
  await volumes.close();
});

test('a changed config map and changed labels reach the volume', async () => {
  configMaps.set('settings', { metadata: { name: 'settings' }, data: { mode: 'slow' } });
  const pod = podWith(
    { name: 'settings', configMap: { name: 'settings' } },
    {
      name: 'info',
      downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
    },
  );
  const volumes = volumesOf(pod);
  await volumes.prepare();
  assert.equal(read('pod', 'volumes', 'settings', 'mode'), 'slow');
  configMaps.set('settings', { metadata: { name: 'settings' }, data: { mode: 'fast' } });
  volumes.objectChanged('configMap', 'other');
  volumes.objectChanged('configMap', 'settings');
  volumes.podChanged({ ...pod, metadata: { ...pod.metadata, labels: { app: 'shop' } } });
  await volumes.idle();
  assert.equal(read('pod', 'volumes', 'settings', 'mode'), 'fast');
  assert.equal(read('pod', 'volumes', 'info', 'labels'), 'app="shop"');
  configMaps.delete('settings');
  volumes.objectChanged('configMap', 'settings');
  await volumes.idle();
  assert.equal(read('pod', 'volumes', 'settings', 'mode'), 'fast', 'a volume keeps what it has');
  assert.match(errors[0]?.message ?? '', /configmap "settings" not found/);
  await volumes.close();
});

const failures: [name: string, volume: Volume, message: RegExp][] = [
  ['config map', { name: 'v', configMap: { name: 'none' } }, /volume "v" : configmap "none" not found/],
  ['secret', { name: 'v', secret: { secretName: 'none' } }, /volume "v" : secret "none" not found/],
  [
    'key',
    { name: 'v', secret: { secretName: 'login', items: [{ key: 'none', path: 'x' }] } },
    /references non-existent secret key: none/,
  ],
  [
    'host path',
    { name: 'v', hostPath: { path: '/no/such/folder', type: 'Directory' } },
    /hostPath type check failed: \/no\/such\/folder is not a directory/,
  ],
  [
    'volume type',
    { name: 'v', nfs: { server: 's', path: '/' } },
    /volume type nfs is not supported by the embedded cluster/,
  ],
];

for (const [name, volume, message] of failures) {
  test(`a missing ${name} is an error that names it`, async () => {
    await assert.rejects(volumesOf(podWith(volume)).prepare(), (error) => {
      assert.ok(error instanceof VolumeError);
      assert.match(error.message, message);
      return true;
    });
  });
}

test('optional sources may be missing; claims outlive pods', async () => {
  const pod = podWith(
    { name: 'v', configMap: { name: 'none', optional: true } },
    { name: 'w', secret: { secretName: 'none', optional: true } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
  );
  const volumes = volumesOf(pod);
  await volumes.prepare();
  assert.ok(existsSync(join(folder, 'claims', 'shop', 'data-web-0')));
  await volumes.close();
});

/** What `use` gives while this process takes all rights of others from what it makes. */
async function withUmask<T>(use: () => Promise<T>): Promise<T> {
  const before = process.umask(0o077);
  try {
    return await use();
  } finally {
    process.umask(before);
  }
}

const modeOf = (...path: string[]): string => (statSync(join(folder, ...path)).mode & 0o7777).toString(8);

test('whatever the umask: every user may write to empty volumes, claims and their sub-paths', async () => {
  configMaps.set('settings', { metadata: { name: 'settings' }, data: { 'app.conf': 'x=1' } });
  const volumes = volumesOf(
    podWith(
      { name: 'work', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
      {
        name: 'settings',
        configMap: { name: 'settings', items: [{ key: 'app.conf', path: 'etc/app.conf' }] },
      },
    ),
  );
  const volumeMounts = [
    { name: 'work', mountPath: '/work', subPath: 'logs/web' },
    { name: 'data', mountPath: '/data', subPath: 'pg' },
  ];
  await withUmask(async () => {
    await volumes.prepare();
    volumes.mounts({ name: 'c', volumeMounts }, new Map());
  });
  assert.equal(modeOf('pod/volumes/work'), '777');
  assert.equal(modeOf('pod/volumes/work/logs'), '755');
  assert.equal(modeOf('pod/volumes/work/logs/web'), '777');
  assert.equal(modeOf('claims/shop/data-web-0'), '777');
  assert.equal(modeOf('claims/shop/data-web-0/pg'), '777');
  assert.equal(modeOf('pod/volumes/settings'), '755');
  assert.equal(modeOf('pod/volumes/settings/etc'), '755');
  assert.equal(modeOf('pod/volumes/settings/etc/app.conf'), '644');
  chmodSync(join(folder, 'claims/shop/data-web-0'), 0o700);
  await volumes.prepare();
  assert.equal(modeOf('claims/shop/data-web-0'), '700', 'what a pod has made of its claim stays');
  await volumes.close();
});

test('the group of a pod gets its volumes', {
  skip: process.getuid?.() === 0 ? false : 'takes root',
}, async () => {
  const pod = podWith(
    { name: 'work', emptyDir: {} },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'keys', secret: { secretName: 'login', defaultMode: 0o400 } },
  );
  const claim = join(folder, 'claims/shop/data');
  mkdirSync(join(claim, 'deep'), { recursive: true });
  writeFileSync(join(claim, 'deep/file'), '', { mode: 0o600 });
  const owned = (path: string): string => `${statSync(join(folder, path)).gid} ${modeOf(path)}`;
  const prepare = async (securityContext: object): Promise<void> => {
    const volumes = volumesOf({ ...pod, spec: { containers: [], ...pod.spec, securityContext } }, true);
    await volumes.prepare();
    await volumes.close();
  };
  await prepare({ fsGroup: 77 });
  assert.equal(owned('pod/volumes/work'), '77 2777');
  assert.equal(owned('pod/volumes/keys/password'), '77 440');
  assert.equal(owned('claims/shop/data'), '77 2775');
  assert.equal(owned('claims/shop/data/deep'), '77 2775');
  assert.equal(owned('claims/shop/data/deep/file'), '77 660');
  chmodSync(join(claim, 'deep/file'), 0o600);
  await prepare({ fsGroup: 77, fsGroupChangePolicy: 'OnRootMismatch' });
  assert.equal(owned('claims/shop/data/deep/file'), '77 600');
  await prepare({ fsGroup: 78, fsGroupChangePolicy: 'OnRootMismatch' });
  assert.equal(owned('claims/shop/data/deep/file'), '78 660');
});

test('mounts: folders shared by containers, nested mounts, sub-paths', async () => {
  configMaps.set('settings', { metadata: { name: 'settings' }, data: { 'app.conf': 'x=1' } });
  const volumes = volumesOf(
    podWith({ name: 'work', emptyDir: {} }, { name: 'settings', configMap: { name: 'settings' } }),
  );
  await volumes.prepare();
  const mount = (root: string) =>
    volumes.mount(
      {
        name: 'c',
        volumeMounts: [
          { name: 'settings', mountPath: '/work/conf' },
          { name: 'work', mountPath: '/work' },
          { name: 'settings', mountPath: '/etc/app.conf', subPath: 'app.conf' },
          { name: 'work', mountPath: '/logs', subPathExpr: 'logs/$(POD)' },
        ],
      },
      join(folder, root),
      new Map([['POD', 'web']]),
    );
  mount('a');
  mount('a'); // a restarted container mounts again
  mount('b');
  writeFileSync(join(folder, 'a/logs/out'), 'line');
  assert.equal(read('b/work/logs/web/out'), 'line');
  assert.equal(read('a/work/conf/app.conf'), 'x=1');
  assert.equal(read('a/etc/app.conf'), 'x=1');
  assert.ok(lstatSync(join(folder, 'a/etc/app.conf')).isFile(), 'a copy, which updates do not reach');
  await volumes.close();
});

test('nothing is mounted outside the root, and no path leads out of a volume', async () => {
  assert.equal(underRoot('/root', '/../../etc'), '/root/etc');
  mkdirSync(join(folder, 'v'));
  const source = () => ({ path: join(folder, 'v'), rendered: false });
  const at = (mountPath: string, subPath = '') =>
    makeMounts(join(folder, 'r'), [{ name: 'v', mountPath, subPath }], source, new Map());
  assert.throws(() => at('/'), /cannot be mounted at \//);
  assert.throws(() => at('/x', '../../etc'), /must not contain ".."/);
  for (const path of ['../x', '/x', 'a/../b', 'a//b', '..data'])
    assert.throws(() => checkedPath(path), /invalid path/);
});

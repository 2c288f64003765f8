/** A cluster of isolated pods that is killed leaves nothing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { openImageStore } from '../../../images/open-image-store.ts';
import { baseLayer } from '../../testing/application-images.ts';
import { writeOciImage } from '../../testing/oci-image.ts';
import { probeIsolation } from './probe.ts';

const place = mkdtempSync(join(tmpdir(), 'turnsole-killed-'));
const probe = await probeIsolation(place, 'probe');
rmSync(place, { recursive: true, force: true });
const skip = probe.available ? false : `pods cannot be isolated here: ${probe.missing}`;

/** A program that runs a cluster with a pod whose child has left its session, and says where everything is. Words: folder of a store, image. */
const OWNER = `
import { openImageStore } from ${JSON.stringify(new URL('../../../images/open-image-store.ts', import.meta.url).href)};
import { startEmbeddedCluster } from ${JSON.stringify(new URL('../../../cluster/start.ts', import.meta.url).href)};
import { createClient } from ${JSON.stringify(import.meta.resolve('@turnsole/kube/client/index'))};
const [directory, image] = process.argv.slice(1);
const open = () => openImageStore({ directory });
const cluster = await startEmbeddedCluster({ isolation: 'full', imageStore: { mayHaveAny: () => true, open } });
const client = createClient(cluster.adminConfig);
const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
await client.create(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image,
  command: ['/bin/sh', '-c', 'env -i setsid sleep 1000 & exec sleep 1000'] }] } }, { namespace: 'default' });
for (;;) {
  const pod = await client.find(pods, 'p', { namespace: 'default' });
  if (pod?.status?.phase === 'Running') break;
  await new Promise((resolve) => setTimeout(resolve, 10));
}
console.log(cluster.dataDir);
setInterval(() => {}, 1000);
`;

const BASE = 'docker.io/mine/base:1';

for (const image of ['busybox', BASE])
  test(
    `a killed cluster with a container of ${image} leaves no link, no cgroup, no process, no mount, no folder and no lease`,
    {
      skip,
    },
    (t) => kill(t, image),
  );

async function kill(t: TestContext, image: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-killed-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const directory = join(folder, 'store');
  const store = await openImageStore({ directory });
  t.after(() => store.close());
  await store.load(writeOciImage(folder, { name: BASE, layers: [baseLayer()] }));
  const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER, directory, image], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => owner.kill('SIGKILL'));
  let dataDir = '';
  for await (const line of createInterface({ input: owner.stdout })) {
    dataDir = line;
    break;
  }
  assert.notEqual(dataDir, '');
  const { pid } = owner;
  const mark = `-${pid}-`;
  const cgroups = cgroupFolders(mark);
  const links = linksOfPods();
  assert.ok(cgroups.length > 0);
  // The second is the one that has left its session and cleared its environment.
  await until(() => processesOf(mark).length >= 2, 'the pod did not start its second process');
  const processes = processesOf(mark);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const left = (): string[] => [
    ...cgroupFolders(mark),
    ...processes.filter((each) => existsSync(`/proc/${each}`)),
    ...(existsSync(dataDir) ? [dataDir] : []),
    ...readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(dataDir)),
  ];
  // The remains have no owner that could report their end.
  await until(
    () => left().length === 0,
    () => `left: ${left().join(', ')}`,
  );
  const bridges = new Set(links.map((name) => name.split('-').slice(0, 2).join('-')));
  await until(
    () => !linksOfPods().some((name) => isDead(name, bridges)),
    () => `left: ${linksOfPods().join(', ')}`,
  );
  // What a container of it ran from can be removed now.
  assert.deepEqual((await store.remove([BASE])).inUse, []);
}

/** Links that were there when the cluster ran, and whose block is unclaimed now. */
function isDead(link: string, known: ReadonlySet<string>): boolean {
  const [bridge = ''] = /^tsl\d+-[0-9a-z]{4}/.exec(link) ?? [];
  const block = /^tsl(\d+)/.exec(link)?.[1];
  return known.has(bridge) && !readFileSync('/proc/net/unix', 'utf8').includes(`@turnsole/10.${block}`);
}

function linksOfPods(): string[] {
  return readdirSync('/sys/class/net').filter((name) => /^tsl\d+-/.test(name));
}

function cgroupFolders(mark: string): string[] {
  if (!probe.available || probe.cgroups === undefined) return [];
  const { cgroups } = probe;
  const parents = cgroups.version === 1 ? [...cgroups.roots.values()] : [cgroups.root, cgroups.mount];
  return [...new Set(parents)].flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.startsWith('turnsole-') && name.includes(mark))
      .map((name) => join(parent, name)),
  );
}

function processesOf(mark: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cgroup`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

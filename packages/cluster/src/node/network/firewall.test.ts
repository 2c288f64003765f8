import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { probeIsolation } from '../runtime/isolated/probe.ts';
import { firewallRules, removalOf } from './firewall.ts';

const OPEN = '-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n';
const DOCKER = `-P INPUT ACCEPT
-P FORWARD DROP
-P OUTPUT ACCEPT
-N DOCKER-USER
-A FORWARD -j DOCKER-USER
-A FORWARD -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A DOCKER-USER -j RETURN
`;
const UFW =
  '-P INPUT DROP\n-P FORWARD DROP\n-P OUTPUT ACCEPT\n-N ufw-before-input\n-A INPUT -j ufw-before-input\n';
const FORWARD = [
  '-I FORWARD -i tsl9-abcd -j ACCEPT',
  '-I FORWARD -o tsl9-abcd -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
];
const INPUT = '-I INPUT -d 10.9.0.0/16 -i tsl9-abcd -j ACCEPT';

for (const [machine, listing, rules] of [
  ['without iptables', '', []],
  ['that lets everything through', OPEN, []],
  ['with Docker', DOCKER, FORWARD],
  ['with ufw', UFW, [...FORWARD, INPUT]],
  ['with one rule for what arrives', `${OPEN}-A INPUT -p tcp -j REJECT\n`, [INPUT]],
  ['with a chain whose name begins so', `${OPEN}-N INPUT-OF-OTHERS\n-A INPUT-OF-OTHERS -j DROP\n`, []],
] as const) {
  test(`a machine ${machine} is told ${rules.length} rules`, () => {
    assert.deepEqual(firewallRules(listing, 'tsl9-abcd', '10.9.0.0/16'), rules);
  });
}

test('the rules of one bridge are removed, and no others', () => {
  const listing = `${DOCKER}-A INPUT -d 10.9.0.0/16 -i tsl9-abcd -j ACCEPT
-A FORWARD -i tsl9-abcd -j ACCEPT
-A FORWARD -i tsl9-abcde -j ACCEPT
`;
  assert.deepEqual(removalOf(listing, 'tsl9-abcd'), [
    '-D INPUT -d 10.9.0.0/16 -i tsl9-abcd -j ACCEPT',
    '-D FORWARD -i tsl9-abcd -j ACCEPT',
  ]);
});

const place = mkdtempSync(join(tmpdir(), 'turnsole-firewall-'));
const probe = await probeIsolation(place, 'probe');
rmSync(place, { recursive: true, force: true });

/** A machine that drops what is forwarded and what arrives, as one with Docker and ufw: a network of its own, whose links are below its /sys. */
const MACHINE = `set -e
mount --rbind /sys/fs/cgroup "$1"
mount -t sysfs none /sys
mount --rbind "$1" /sys/fs/cgroup
ip link set lo up
iptables -A INPUT -i lo -j ACCEPT
iptables -A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
iptables -P INPUT DROP
iptables -P FORWARD DROP
echo dropping
exec sleep 1000`;

const SERVER = "require('http').createServer((_, answer) => answer.end()).listen(8080)";
const ASKER =
  "const url = 'http://' + process.argv[1]; (async () => { for (;;) try { await fetch(url, { signal: AbortSignal.timeout(1000) }); process.exit(0) } catch {} })()";

/** Runs a cluster in which a pod asks another one by its address, and by that of its service, and says when it was answered. */
const OWNER = `
import { startCluster } from ${JSON.stringify(new URL('../../cluster/start-cluster.ts', import.meta.url).href)};
const cluster = await startCluster({ isolation: 'full' });
const { client } = cluster;
const inDefault = { namespace: 'default' };
const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const services = { ...pods, plural: 'services', kind: 'Service' };
const node = ${JSON.stringify(process.execPath)};
const start = (name, ...command) => client.create(pods, { metadata: { name, labels: { app: name } }, spec: { restartPolicy: 'Never', containers: [
  { name: 'c', image: 'busybox', command: [node, '-e', ...command] }] } }, inDefault);
const phase = (name, wanted) => cluster.waitFor(pods, name, (pod) => pod?.status?.phase === wanted);
const service = await client.create(services, { metadata: { name: 'server' },
  spec: { selector: { app: 'server' }, ports: [{ port: 80, targetPort: 8080 }] } }, inDefault);
await start('server', ${JSON.stringify(SERVER)});
const server = await phase('server', 'Running');
await start('by-address', ${JSON.stringify(ASKER)}, server.status.podIP + ':8080');
await start('by-service', ${JSON.stringify(ASKER)}, service.spec.clusterIP);
await Promise.all([phase('by-address', 'Succeeded'), phase('by-service', 'Succeeded')]);
console.log('answered');
setInterval(() => {}, 1000);
`;

test('on a machine that drops what is forwarded, pods hear each other; killed, the cluster leaves no rule', {
  skip: !probe.available
    ? `pods cannot be isolated here: ${probe.missing}`
    : !mayHaveRules() && 'iptables cannot be used in a network namespace here',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-firewall-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const machine = spawn('unshare', ['-n', '-m', '--', 'sh', '-c', MACHINE, 'sh', folder], {
    stdio: [...stdio],
  });
  t.after(async () => {
    machine.kill('SIGKILL');
    await once(machine, 'exit');
  });
  assert.equal(await firstLine(machine.stdout), 'dropping');
  const inside = ['-t', String(machine.pid), '-n', '-m', '--'];
  const rules = (): string =>
    execFileSync('nsenter', [...inside, 'iptables', '-w', '5', '-S'], { encoding: 'utf8' });
  const before = rules();
  const owner = spawn('nsenter', [...inside, process.execPath, '--input-type=module', '-e', OWNER], {
    stdio: [...stdio],
  });
  t.after(() => owner.kill('SIGKILL'));
  assert.equal(await firstLine(owner.stdout), 'answered');
  assert.match(rules(), /-i tsl\d+-/);
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  // The remains have no owner that could report their end.
  await until(() => rules() === before, rules);
});

function mayHaveRules(): boolean {
  try {
    execFileSync('unshare', ['-n', '--', 'iptables', '-P', 'FORWARD', 'DROP'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function firstLine(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) return line;
  return undefined;
}

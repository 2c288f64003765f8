/** Isolated pods on a real cluster. Everything is asked of programs in pods, and not of what was written for them. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Container, Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { systemClock } from '@turnsole/kube/runtime/index';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startEmbeddedCluster } from '../../../cluster/start.ts';
import type { EmbeddedCluster } from '../../../cluster/types.ts';
import type { ImageEntry } from '../../images/image-entry.ts';
import { MACHINE_SOCKET_VARIABLE } from '../../machine/embedded-node.ts';
import { probeIsolation } from './probe.ts';

const place = mkdtempSync(join(tmpdir(), 'turnsole-isolated-'));
const probe = await probeIsolation(place, 'probe');
const skip = probe.available ? false : `pods cannot be isolated here: ${probe.missing}`;

const SAY = '> /dev/termination-log';

let cluster: EmbeddedCluster;
let client: KubeClient;
/** A folder that only root may look into, as `/root` is. */
let hidden = '';
/** A folder that everybody may look into, with a program that greets. */
let tools = '';

before(async () => {
  if (!probe.available) return;
  rmSync(probe.layers, { recursive: true, force: true });
  hidden = mkdtempSync('/var/tmp/turnsole-isolated-');
  const program = join(hidden, 'bin', 'program');
  mkdirSync(join(hidden, 'bin'), { mode: 0o700 });
  writeFileSync(program, `#!/bin/sh\necho "$(id -u) runs" ${SAY}\n`, { mode: 0o755 });
  tools = mkdtempSync('/var/tmp/turnsole-tools-');
  chmodSync(tools, 0o755);
  const greeter = [join(tools, 'greet'), 'hello'];
  writeFileSync(greeter[0] ?? '', '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const images = new Map<string, ImageEntry>([
    ['mine/hidden', { entrypoint: [program] }],
    [
      'mine/tools',
      {
        entrypoint: [],
        programs: { '/mine/helpers': greeter },
        workingDir: '/mine',
        reachesMachine: true,
      },
    ],
  ]);
  const commands = new Map([['greet', greeter]]);
  cluster = await startEmbeddedCluster({ isolation: 'full', nodes: 2, images, commands, hostPaths: [tools] });
  client = createClient(cluster.adminConfig);
});

after(async () => {
  client?.close();
  await cluster?.close({ graceMs: 0 });
  rmSync(place, { recursive: true, force: true });
  for (const folder of [hidden, tools]) if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

/** Runs a pod with a shell script to its end, or until it runs; gives it with what it wrote as termination message. */
async function run(
  name: string,
  script: string,
  spec: Partial<PodSpec> = {},
  container: Partial<Container> = {},
  phases: readonly string[] = ['Succeeded', 'Failed'],
): Promise<{ pod: Pod; said: string }> {
  await client.create<Pod>(
    PODS,
    {
      metadata: { name },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        ...spec,
        containers: [{ name: 'main', image: 'busybox', command: ['/bin/sh', '-c', script], ...container }],
      },
    },
    { namespace: 'default' },
  );
  let pod: Pod | undefined;
  await waitForObject<Pod>(
    client,
    PODS,
    name,
    (found) => {
      pod = found;
      return phases.includes(found?.status?.phase ?? '');
    },
    {
      namespace: 'default',
      timeoutMs: PATIENCE_MS,
      clock: systemClock,
      signal: AbortSignal.timeout(PATIENCE_MS),
    },
  ).catch((cause: unknown) => {
    throw new Error(`pod ${name}: ${JSON.stringify(pod?.status)}`, { cause });
  });
  assert.ok(pod);
  const state = pod.status?.containerStatuses?.[0]?.state;
  return { pod, said: state?.terminated?.message?.trim() ?? '' };
}

/** A program that answers on a port with the pod's name. */
const SERVER = `exec node -e 'require("http").createServer((q, s) => s.end(require("os").hostname())).listen(8080)'`;
const ASK = (url: string): string =>
  `node -e 'require("http").get("${url}", (s) => s.on("data", (d) => process.stdout.write(d)))'`;

test('pods have the same port, each at its own address, and reach each other and the host them', {
  skip,
}, async () => {
  const ready = { readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 } };
  const [one, two] = await Promise.all([
    run('one', SERVER, { nodeName: 'turnsole-1' }, ready, ['Running']),
    run('two', SERVER, { nodeName: 'turnsole-2' }, ready, ['Running']),
  ]);
  await Promise.all(
    ['one', 'two'].map((name) =>
      waitForObject<Pod>(client, PODS, name, (pod) => pod?.status?.containerStatuses?.[0]?.ready === true, {
        namespace: 'default',
        timeoutMs: PATIENCE_MS,
        clock: systemClock,
        signal: AbortSignal.timeout(PATIENCE_MS),
      }),
    ),
  );
  const [first, second] = [one.pod.status?.podIP, two.pod.status?.podIP];
  assert.notEqual(first, second);
  const answer = await fetch(`http://${first}:8080/`);
  assert.equal(await answer.text(), 'one');
  const asked = await run(
    'asks',
    `(${ASK(`http://${first}:8080`)}; echo; ${ASK(`http://${second}:8080`)}) ${SAY}`,
  );
  assert.equal(asked.said, 'one\ntwo');
});

test('a pod finds the API server by name and by its service, and its certificate holds', {
  skip,
}, async () => {
  const script = `node -e '
    const https = require("https"), fs = require("fs"), at = "/var/run/secrets/kubernetes.io/serviceaccount/";
    https.get({ host: "kubernetes.default", path: "/version", ca: fs.readFileSync(at + "ca.crt") },
      (s) => { process.stdout.write(String(s.statusCode)); s.resume(); });' ${SAY}`;
  assert.equal((await run('finds', script)).said, '200');
});

test('a container sees its own processes only, and the pod’s or all when it asks for them', {
  skip,
}, async () => {
  const count = `ls /proc | grep -c '^[0-9]' ${SAY}`;
  const [own, all, shared] = await Promise.all([
    run('pid-own', count),
    run('pid-host', count, { hostPID: true }),
    run('pid-shared', `sleep 0.2; cat /proc/[0-9]*/comm | sort -u | tr '\\n' ' ' ${SAY}`, {
      shareProcessNamespace: true,
    }),
  ]);
  assert.ok(Number(own.said) < 8, own.said);
  assert.ok(Number(all.said) > 8, all.said);
  assert.match(shared.said, /cat/);
});

/** A pod's end, with what it wrote as termination message. */
async function ended(name: string): Promise<{ exitCode: number | undefined; said: string }> {
  let pod: Pod | undefined;
  await waitForObject<Pod>(
    client,
    PODS,
    name,
    (found) => {
      pod = found;
      return found?.status?.containerStatuses?.[0]?.state?.terminated !== undefined;
    },
    {
      namespace: 'default',
      timeoutMs: PATIENCE_MS,
      clock: systemClock,
      signal: AbortSignal.timeout(PATIENCE_MS),
    },
  );
  const terminated = pod?.status?.containerStatuses?.[0]?.state?.terminated;
  assert.equal(terminated?.signal, undefined, 'container runtimes say it in the exit code only');
  return { exitCode: terminated?.exitCode, said: terminated?.message?.trim() ?? '' };
}

/** What a command in a pod says, and what went wrong. */
async function inPod(pod: string, ...command: string[]): Promise<string> {
  const { stdout, stderr } = await client.exec({ namespace: 'default', name: pod, command });
  return `${stdout}${stderr}`.replaceAll('\0', ' ').trim();
}

/** Becomes ready when its handlers are there. */
const readyWhen = (file: string): Partial<Container> => ({
  readinessProbe: { exec: { command: ['test', '-e', file] }, periodSeconds: 1 },
});

async function becomesReady(name: string): Promise<void> {
  await waitForObject<Pod>(client, PODS, name, (pod) => pod?.status?.containerStatuses?.[0]?.ready === true, {
    namespace: 'default',
    timeoutMs: PATIENCE_MS,
    clock: systemClock,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}

test('process 1 is the main process, to whom its own user sends signals', { skip }, async () => {
  for (const [signal, number] of Object.entries({ TERM: 15, INT: 2, HUP: 1, QUIT: 3, USR1: 10, USR2: 12 })) {
    const name = `main-${signal.toLowerCase()}`;
    const script = `trap 'echo ${signal} ${SAY}; exit 7' ${signal}
      touch /tmp/ready; while :; do sleep 1000 & wait $!; done`;
    await run(name, script, { securityContext: { runAsUser: 1000 } }, readyWhen('/tmp/ready'), ['Running']);
    await becomesReady(name);
    assert.match(await inPod(name, 'cat', '/proc/1/cmdline'), /^\/bin\/sh -c trap /);
    assert.equal(await inPod(name, 'sh', '-c', 'kill -0 1 && echo there'), 'there');
    // The end of the container ends the command, too, and may be earlier than its own.
    await inPod(name, 'kill', `-${number}`, '1');
    assert.deepEqual(await ended(name), { exitCode: 7, said: signal });
  }
});

test('a container ends by the signal that ends its pod: handled, left to the kernel, or ignored', {
  skip,
}, async () => {
  const sleep = 'exec sleep 1000';
  const cases: readonly (readonly [string, string, Partial<PodSpec>, number])[] = [
    ['handles', `trap 'exit 9' TERM; touch /tmp/ready; while :; do sleep 1000 & wait $!; done`, {}, 9],
    ['leaves', `touch /tmp/ready; ${sleep}`, {}, 143],
    ['leaves-shared', `touch /tmp/ready; ${sleep}`, { shareProcessNamespace: true }, 143],
    ['leaves-user', `touch /tmp/ready; ${sleep}`, { securityContext: { runAsUser: 1000 } }, 143],
    ['ignores', `trap '' TERM; touch /tmp/ready; ${sleep}`, {}, 137],
  ];
  await Promise.all(
    cases.map(async ([name, script, spec, exitCode]) => {
      const terminationGracePeriodSeconds = exitCode === 137 ? 1 : 300;
      await run(`ends-${name}`, script, { terminationGracePeriodSeconds, ...spec }, readyWhen('/tmp/ready'), [
        'Running',
      ]);
      await becomesReady(`ends-${name}`);
      // Its status says how it ended; a deleted pod would have none.
      await client.patch(
        PODS,
        `ends-${name}`,
        'merge',
        { spec: { activeDeadlineSeconds: 1 } },
        { namespace: 'default' },
      );
      assert.equal((await ended(`ends-${name}`)).exitCode, exitCode, name);
    }),
  );
});

test('the exit code is that of the main process, also of one that breaks', { skip }, async () => {
  const exitCode = async (name: string, script: string): Promise<number | undefined> => {
    const { pod } = await run(name, script);
    return pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
  };
  assert.equal(await exitCode('exits', 'sleep 1000 & exit 3'), 3);
  // Process 1 cannot abort; the C library then makes it break in another way.
  const aborted = await exitCode('aborts', 'exec node -e "process.abort()"');
  assert.ok([128 + 6, 128 + 11].includes(aborted ?? 0), String(aborted));
});

test('what a container changes stays its own; read-only is read-only', { skip }, async () => {
  const marker = join(place, 'host');
  writeFileSync(marker, 'host');
  const rendered = { volumes: [{ name: 'v', hostPath: { path: place } }] };
  const script = `
    touch /etc/turnsole-marker && echo private
    touch /data/x 2>/dev/null || echo read-only
    cat /data/host`;
  const { said } = await run('files', `(${script}) ${SAY}`, rendered, {
    volumeMounts: [{ name: 'v', mountPath: '/data', readOnly: true }],
  });
  assert.equal(said, 'private\nread-only\nhost');
  assert.equal(existsSync('/etc/turnsole-marker'), false);
  const locked = await run(
    'locked',
    `touch /x 2>/dev/null || echo locked ${SAY}`,
    {},
    {
      securityContext: { readOnlyRootFilesystem: true, runAsUser: 1234, runAsGroup: 5 },
    },
  );
  assert.equal(locked.said, 'locked');
});

test('nothing of the cluster is in /tmp, and what an image needs is there whatever is mounted at it', {
  skip,
}, async () => {
  // A checkout that lies below /tmp is seen there: the images run from it.
  const [, checkout] = /^\/tmp\/([^/]+)/.exec(process.cwd()) ?? [];
  const others = checkout === undefined ? '' : `--exclude=tmp/${checkout}`;
  const script = `(stat -c %a /tmp; tar -cf - -C / ${others} tmp | tar -tf -; echo $PATH | cut -d : -f 1
    node -p 6*7; greet you) ${SAY} 2>&1`;
  const own = await run('own-tmp', script);
  assert.deepEqual(own.said.split('\n'), ['1777', 'tmp/', '/usr/libexec/turnsole/bin', '42', 'hello you']);
  // A volume at /tmp hides it, and the programs of the images with it (docs/embedded-cluster.md).
  if (checkout !== undefined) return;
  const volume = { volumes: [{ name: 'tmp', emptyDir: {} }] };
  const mount = { volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] };
  const locked = { ...mount, securityContext: { readOnlyRootFilesystem: true } };
  const mounted = await run('volume-tmp', script, volume, locked);
  assert.deepEqual(mounted.said.split('\n').slice(1), own.said.split('\n').slice(1));
  // Its folder is one of the image, and the command names the program without one.
  const helped = await run(
    'runner-tmp',
    `(./helpers there; touch x && pwd; ls -A /tmp; test -S $${MACHINE_SOCKET_VARIABLE} && echo socket) ${SAY} 2> /dev/null`,
    volume,
    {
      ...mount,
      image: 'mine/tools',
    },
  );
  // Its folder is the one of the image, and the pod's own.
  assert.deepEqual(helped.said.split('\n'), ['hello there', '/mine', 'socket']);
});

test('a user who may not look into the folder that an image is in can run its program all the same', {
  skip,
}, async () => {
  const { said } = await run(
    'hidden',
    '',
    {},
    {
      image: 'mine/hidden',
      command: [],
      securityContext: { runAsUser: 2000 },
    },
  );
  assert.equal(said, '2000 runs');
});

test('users, groups, host names and memory volumes are what the pod says', { skip }, async () => {
  const script = `(id -u; id -g; id -G; hostname; df -k /mem | tail -1 | awk '{print $2}') ${SAY}`;
  const { said } = await run(
    'says',
    script,
    {
      securityContext: { fsGroup: 77 },
      volumes: [{ name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '4Mi' } }],
    },
    {
      securityContext: { runAsUser: 1234, runAsGroup: 55 },
      volumeMounts: [{ name: 'm', mountPath: '/mem' }],
    },
  );
  assert.deepEqual(said.split('\n'), ['1234', '55', '55 77', 'says', '4096']);
});

test('a user without rights writes to volumes, and reads what the agent made, whatever the umask', {
  skip,
}, async () => {
  const umask = process.umask(0o077);
  try {
    const script = `(for d in empty memory sub group; do touch /$d/x || echo no $d; done
      stat -c %g /group/x; umask; cat /etc/hosts /etc/resolv.conf > /dev/null; ls /dev > /dev/null) ${SAY} 2>&1`;
    const volumes = [
      { name: 'empty', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
    ];
    const mounts = [
      { name: 'empty', mountPath: '/empty' },
      { name: 'memory', mountPath: '/memory' },
      { name: 'empty', mountPath: '/sub', subPath: 'a/b' },
    ];
    for (const fsGroup of [undefined, 77]) {
      const { said } = await run(
        `writes-${fsGroup}`,
        script,
        { volumes, ...(fsGroup === undefined ? {} : { securityContext: { fsGroup } }) },
        {
          securityContext: { runAsUser: 1000, runAsGroup: 1000, capabilities: { drop: ['ALL'] } },
          volumeMounts: [
            ...mounts,
            { name: fsGroup === undefined ? 'empty' : 'memory', mountPath: '/group' },
          ],
        },
      );
      assert.deepEqual(said.split('\n'), [String(fsGroup ?? 1000), '0022']);
    }
  } finally {
    process.umask(umask);
  }
});

test('who uses more memory than the limit is killed, and the status says so', { skip }, async () => {
  const hungry = `exec node -e 'const a = []; for (;;) a.push(Buffer.alloc(4e6, 1))'`;
  const { pod } = await run('hungry', hungry, {}, { resources: { limits: { memory: '96Mi', cpu: '500m' } } });
  const ended = pod.status?.containerStatuses?.[0]?.state?.terminated;
  assert.deepEqual([ended?.reason, ended?.exitCode], ['OOMKilled', 137]);
});

test('the limits are those of the cgroup, which is found by the pod and the container', {
  skip,
}, async () => {
  // By the shell alone: no other process is to be found beside the main one.
  const find =
    'while read -r line; do case $line in *kubepods*) echo "$line"; break;; esac; done < /proc/self/cgroup';
  const script = `${find} ${SAY}; exec sleep 1000`;
  const { pod } = await run(
    'limited',
    script,
    {},
    { resources: { limits: { memory: '64Mi', cpu: '250m' } } },
    ['Running'],
  );
  const id = pod.status?.containerStatuses?.[0]?.containerID?.split('://')[1] ?? '';
  const procs = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cgroup`, 'utf8').includes(`/pod${pod.metadata.uid}/${id}`);
    } catch {
      return false;
    }
  });
  assert.equal(procs.length, 1);
  assert.ok(probe.available);
  const { cgroups } = probe;
  assert.ok(cgroups !== undefined);
  const path = (controller: string): string => {
    const lines = readFileSync(`/proc/${procs[0]}/cgroup`, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
    const own = lines.find(([, names = '']) => names === '' || names.split(',').includes(controller));
    const root = cgroups.version === 2 ? cgroups.mount : `/sys/fs/cgroup/${own?.[1]}`;
    return `${root}${own?.[2]}`;
  };
  const file = cgroups.version === 2 ? 'cpu.max' : 'cpu.cfs_quota_us';
  const quota = (): string | undefined => readFileSync(join(path('cpu'), file), 'utf8').split(/\s/)[0];
  assert.equal(quota(), '25000');

  // By its own path it gets others while it runs; what is less than it uses it does not get.
  const resize = async (
    limits: Readonly<Record<string, string>>,
    until: (pod: Pod) => boolean,
  ): Promise<Pod> => {
    const spec = { containers: [{ name: 'main', resources: { limits, requests: limits } }] };
    await client.patch<Pod>(
      PODS,
      'limited',
      'strategic',
      { spec },
      { namespace: 'default', subresource: 'resize' },
    );
    const patience = { namespace: 'default', timeoutMs: PATIENCE_MS };
    const found = await waitForObject<Pod>(
      client,
      PODS,
      'limited',
      (seen) => seen !== undefined && until(seen),
      patience,
    );
    assert.ok(found !== undefined);
    return found;
  };
  const limitsOf = (seen: Pod): unknown => seen.status?.containerStatuses?.[0]?.resources?.limits;
  const larger = { memory: '96Mi', cpu: '500m' };
  await resize(larger, (seen) => isDeepStrictEqual(limitsOf(seen), larger));
  assert.equal(quota(), '50000');
  const memoryFile = cgroups.version === 2 ? 'memory.max' : 'memory.limit_in_bytes';
  const memoryLimit = (): string => readFileSync(join(path('memory'), memoryFile), 'utf8').trim();
  assert.equal(memoryLimit(), String(96 * 1024 ** 2));
  const tiny = { memory: '4Ki', cpu: '500m' };
  const failed = await resize(tiny, (seen) => resizeProblem(seen) !== undefined);
  assert.match(
    resizeProblem(failed) ?? '',
    /^cannot decrease memory limits: attempting to set container "main" memory limit \(4096\) below current usage \(\d+\)$/,
  );
  assert.equal(memoryLimit(), String(96 * 1024 ** 2));
  assert.deepEqual(limitsOf(failed), larger);
});

function resizeProblem({ status }: Pod): string | undefined {
  return status?.conditions?.find(({ type, reason }) => type === 'PodResizeInProgress' && reason === 'Error')
    ?.message;
}

test('a pod of the host’s network has the node’s address and the host’s interfaces', { skip }, async () => {
  // Not the interfaces themselves: other clusters on the machine come and go.
  const { pod, said } = await run('on-host', `readlink /proc/self/ns/net ${SAY}`, { hostNetwork: true });
  assert.equal(pod.status?.podIP, pod.status?.hostIP);
  assert.equal(said.trim(), readlinkSync('/proc/self/ns/net'));
});

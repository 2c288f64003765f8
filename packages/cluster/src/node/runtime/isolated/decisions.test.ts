import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { commandLine } from '@turnsole/kube/text/shell';
import fc from 'fast-check';
import { cgroupLayout } from './cgroup-layout.ts';
import { cgroupSettings, containerCgroup, containerLimits, oomKills, weightOf } from './cgroup-limits.ts';
import { cgroupName, nextCgroupName, parseOwner } from './dead-clusters.ts';
import { bindEntry, formatFstab } from './fstab.ts';
import { possibleIdentity, processIdentity, setprivWords } from './identity.ts';
import { hostsFile, podHostname } from './pod-files.ts';
import { missingBasics } from './probe.ts';
import { explainStatus } from './scripts.ts';
import { leavesToKernel, parseStopSignal } from './stop-signal.ts';

const V1 = `31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw`;
const V2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';

test('cgroups are made below the process’s own, in either version', () => {
  const one = cgroupLayout(V1, '4:memory:/process/a\n1:cpu,cpuacct:/\n0::/x');
  assert.ok(one?.version === 1);
  assert.deepEqual(
    [...one.roots],
    [
      ['memory', '/sys/fs/cgroup/memory/process/a'],
      ['cpu', '/sys/fs/cgroup/cpu,cpuacct'],
      ['cpuacct', '/sys/fs/cgroup/cpu,cpuacct'],
    ],
  );
  assert.deepEqual(cgroupLayout(V2, '0::/user.slice/session.scope\n'), {
    version: 2,
    root: '/sys/fs/cgroup/user.slice/session.scope',
    mount: '/sys/fs/cgroup',
  });
  const inside = '30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw';
  assert.deepEqual(cgroupLayout(inside, '0::/docker/abc/me'), {
    version: 2,
    root: '/sys/fs/cgroup/me',
    mount: '/sys/fs/cgroup',
  });
  assert.equal(cgroupLayout('', ''), undefined);
});

const pod = (spec: Pod['spec']): Pod => ({
  metadata: { name: 'p', uid: 'u', namespace: 'n' },
  spec: spec ?? { containers: [] },
});
const sized = (resources: object): Pod => pod({ containers: [{ name: 'c', resources }] });

test('classes and paths are kubelet’s', () => {
  const cases: [Pod, string][] = [
    [sized({}), 'kubepods/besteffort/podu/id'],
    [sized({ requests: { cpu: '1' } }), 'kubepods/burstable/podu/id'],
    [sized({ limits: { cpu: '1', memory: '1Gi' } }), 'kubepods/podu/id'],
    [sized({ limits: { cpu: '1' } }), 'kubepods/burstable/podu/id'],
  ];
  for (const [object, path] of cases) {
    assert.equal(containerCgroup(object, 'id'), path);
  }
});

test('limits become files of either version', () => {
  const limits = containerLimits({ resources: { limits: { cpu: '250m', memory: '64Mi' } } });
  assert.deepEqual(limits, { memoryBytes: 67_108_864, cpuMillis: 250, cpuRequestMillis: 250 });
  const lines = (version: 1 | 2): string[] =>
    cgroupSettings(limits, version).map(({ file, value }) => `${file}=${value}`);
  assert.deepEqual(lines(1), [
    'memory.limit_in_bytes=67108864',
    'cpu.shares=256',
    'cpu.cfs_period_us=100000',
    'cpu.cfs_quota_us=25000',
  ]);
  assert.deepEqual(lines(2), ['memory.max=67108864', 'cpu.weight=10', 'cpu.max=25000 100000']);
  assert.deepEqual([weightOf(2), weightOf(1024), weightOf(262_144)], [1, 39, 10_000]);
  assert.equal(oomKills('oom_kill_disable 0\nunder_oom 0\noom_kill 3\n'), 3);
  assert.equal(oomKills('low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n'), 1);
  assert.equal(oomKills(''), 0);
});

test('a shell reads every word back as it was', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string().filter((word) => !word.includes('\0')),
        { minLength: 1, maxLength: 4 },
      ),
      (words) => {
        const said = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${commandLine(words)}`]);
        assert.deepEqual(said.toString().split('\0').slice(0, -1), words);
      },
    ),
    { numRuns: 30 },
  );
});

test('fields of fstab keep blanks', () => {
  assert.equal(formatFstab([bindEntry('/a b', '/c\\d', true)]), '/a\\040b /c\\134d none rbind,ro 0 0\n');
});

test('security contexts become words of setpriv', () => {
  const words = (container: object, podContext: object = {}): string =>
    setprivWords(
      processIdentity(pod({ containers: [], securityContext: podContext }), {
        name: 'c',
        securityContext: container,
      }),
    ).join(' ');
  assert.equal(words({ privileged: true }), '');
  assert.match(words({}), /^setpriv --inh-caps -all --bounding-set -all,\+chown,/);
  assert.match(
    words({ capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } }),
    /--bounding-set -all,\+net_admin$/,
  );
  assert.match(words({ runAsUser: 5 }, { fsGroup: 7 }), /^setpriv --reuid 5 --groups 7 /);
  assert.match(
    words({ runAsUser: 5, allowPrivilegeEscalation: false }),
    /--reuid 5 --clear-groups .* --no-new-privs$/,
  );
});

test('owners of clusters are recognised by name', () => {
  const owner = { namespace: '4026531836', pid: 12, startTicks: '345' };
  assert.deepEqual(parseOwner(cgroupName(owner, 2)), owner);
  assert.notEqual(nextCgroupName(), nextCgroupName());
  assert.equal(parseOwner('turnsole-x'), undefined);
});

test('the hosts file and the host name of a pod follow from its spec', () => {
  const object = pod({
    containers: [],
    subdomain: 's',
    hostAliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }],
  });
  assert.match(hostsFile(object, '10.0.0.2', 'p', ''), /^10\.0\.0\.2\tp\.s\.n\.svc\.cluster\.local\tp$/m);
  assert.match(hostsFile(object, '10.0.0.2', 'p', ''), /^1\.2\.3\.4\ta\tb$/m);
  assert.equal(podHostname({ metadata: { name: `${'x'.repeat(62)}-yz` } }), 'x'.repeat(62));
});

test('an error names what is missing', () => {
  const tools = new Set(['unshare', 'nsenter', 'setpriv', 'mount', 'umount', 'pivot_root', 'ip', 'cp']);
  const everything = {
    platform: 'linux',
    uid: 0,
    tools,
    status: `CapEff:\t${'f'.repeat(16)}\n`,
    firstFreePort: 1024,
  } as const;
  const missing = (more: Partial<Parameters<typeof missingBasics>[0]>) =>
    missingBasics({ ...everything, ...more });
  assert.equal(missing({}), undefined);
  assert.match(missing({ platform: 'darwin' }) ?? '', /Linux/);
  assert.match(missing({ uid: 1000 }) ?? '', /root/);
  assert.match(missing({ tools: new Set(['unshare']) }) ?? '', /^nsenter.* not found/);
  // What Docker gives a container that asks for nothing, without what its ports take.
  const ordinary = 'CapEff:\t00000000a80421fb\n';
  assert.equal(
    missing({ status: ordinary, firstFreePort: 0 }),
    'the cluster lacks CAP_SYS_ADMIN and CAP_NET_ADMIN',
  );
  assert.match(
    missing({ status: ordinary, tools: new Set() }) ?? '',
    /^the cluster lacks CAP_SYS_ADMIN, CAP_NET_ADMIN and CAP_NET_BIND_SERVICE; unshare.* not found/,
  );
});

test('an identity is that of the namespace’s root as far as it has not the ids', () => {
  const wanted = processIdentity(
    pod({
      containers: [],
      securityContext: { runAsUser: 1000, runAsGroup: 3000, supplementalGroups: [5, 7] },
    }),
    { name: 'c' },
  );
  const some = {
    isMachine: false,
    hasUser: () => true,
    hasGroup: (id: number) => id < 6,
    choosesGroups: true,
  };
  const ids = ({ uid, gid, groups }: typeof wanted): unknown => [uid, gid, groups];
  assert.deepEqual(ids(possibleIdentity(wanted, some)), [1000, 0, [5]]);
  const one = {
    ...some,
    hasUser: (id: number) => id === 0,
    hasGroup: (id: number) => id === 0,
    choosesGroups: false,
  };
  const single = possibleIdentity(wanted, one);
  assert.deepEqual(ids(single), [0, 0, []]);
  // Not one word that the kernel would refuse.
  assert.doesNotMatch(setprivWords(single).join(' '), /--(?:re[ug]id|groups|clear-groups)/);
});

test('the status text explains why a command could not be run', () => {
  const said = (status: string): string => explainStatus(status, ['x', 'y'], '/w');
  assert.equal(said('unknown\n'), 'exec: "x": executable file not found in $PATH');
  assert.equal(said('folder'), 'exec: "x": working directory /w not found');
  assert.match(said('mount mount: /x: bad'), /file system: mount: \/x: bad/);
  assert.match(said(''), /ended before/);
});

test('a signal is left to the kernel by who neither handles, ignores nor waits for it', () => {
  const status = (masks: object): string =>
    Object.entries({ SigBlk: 0, SigIgn: 0, SigCgt: 0, ...masks })
      .map(([field, bit]) => `${field}:\t${bit.toString(16).padStart(16, '0')}`)
      .join('\n');
  const term = 1 << 14;
  const cases: [string, NodeJS.Signals, boolean][] = [
    [status({}), 'SIGTERM', true],
    [status({ SigCgt: term }), 'SIGTERM', false],
    [status({ SigIgn: term }), 'SIGTERM', false],
    [status({ SigBlk: term }), 'SIGTERM', false],
    [status({ SigCgt: term }), 'SIGINT', true],
    [status({}), 'SIGCONT', false],
    [status({}), 'SIGKILL', false],
    ['', 'SIGTERM', false],
  ];
  for (const [text, signal, isLeft] of cases) assert.equal(leavesToKernel(text, signal), isLeft, text);
});

test('stop signals of images are read', () => {
  const texts = [
    undefined,
    '',
    'SIGQUIT',
    'quit',
    '3',
    'SIGRTMIN+3',
    'RTMAX-1',
    'RTMIN',
    '99',
    'SIGRTMIN+40',
    'BOO',
  ];
  assert.deepEqual(texts.map(parseStopSignal), [
    ...['SIGTERM', 'SIGTERM', 'SIGQUIT', 'SIGQUIT', 3, 37, 63, 34, 'SIGTERM', 'SIGTERM', 'SIGTERM'],
  ]);
  assert.equal(leavesToKernel('SigCgt:\t0000000000000000\nSigIgn:\t0\nSigBlk:\t0\n', 37), true);
  assert.equal(leavesToKernel('SigCgt:\t0000001000000000\nSigIgn:\t0\nSigBlk:\t0\n', 37), false);
});

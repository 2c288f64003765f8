import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { ancestorsOf, cgroupFolders, cgroupFoldersOf, furtherCgroups } from './cgroup-folders.ts';

const ID = '4f2c9d0a7be1';

const V1 = `
30 25 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
31 30 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd
34 30 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 30 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
36 30 0:32 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
37 30 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate`;
const V2 = '30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot';
// A node that is a container itself: the mount begins at its own part.
const NESTED = '30 25 0:26 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory';

const CASES = [
  {
    name: 'version 1, cgroupfs driver, controllers mounted together',
    mounts: V1,
    cgroups: [
      `9:name=systemd:/kubepods/pod1/${ID}`,
      `4:memory:/kubepods/pod1/${ID}`,
      `3:cpu,cpuacct:/kubepods/pod1/${ID}`,
      '2:hugetlb:/kubepods/pod1',
      '0::/',
    ].join('\n'),
    version: 1,
    folders: {
      memory: `/r/sys/fs/cgroup/memory/kubepods/pod1/${ID}`,
      cpuacct: `/r/sys/fs/cgroup/cpu,cpuacct/kubepods/pod1/${ID}`,
      'name=systemd': `/r/sys/fs/cgroup/systemd/kubepods/pod1/${ID}`,
      hugetlb: undefined,
    },
    count: 3,
  },
  {
    name: 'version 2, systemd driver',
    mounts: V2,
    cgroups: `0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-${ID}.scope\n`,
    version: 2,
    folders: {
      memory: `/r/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/cri-containerd-${ID}.scope`,
      io: `/r/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/cri-containerd-${ID}.scope`,
    },
    count: 1,
  },
  {
    name: 'the node is a container: paths begin with what the mount shows',
    mounts: NESTED,
    cgroups: `4:memory:/docker/abc/kubepods/pod1/${ID}`,
    version: 1,
    folders: { memory: `/r/sys/fs/cgroup/memory/kubepods/pod1/${ID}` },
    count: 1,
  },
  { name: 'nothing is mounted', mounts: '', cgroups: '0::/x', version: 1, folders: {}, count: 0 },
] as const;

for (const { name, mounts, cgroups, version, folders, count } of CASES) {
  test(name, () => {
    const found = cgroupFolders(mounts, cgroups, '/r');
    assert.equal(found.version, version);
    for (const [controller, folder] of Object.entries(folders)) {
      assert.equal(found.byController.get(controller), folder, controller);
    }
    assert.equal(found.all.length, count);
  });
}

test('ancestors: the supervisor of the container comes first, process 1 not at all', () => {
  const parents: Readonly<Record<string, number>> = { 70: 40, 40: 12, 12: 1, 9: 0 };
  const read = (path: string): string => `Name:\tx\nPPid:\t${parents[path.split('/')[2] ?? ''] ?? ''}\n`;
  assert.deepEqual(ancestorsOf(70, read), ['12', '40']);
  assert.deepEqual(ancestorsOf(12, read), []);
  assert.deepEqual(ancestorsOf(9, read), []);
});

test('the folders of this very process can be opened', { skip: process.platform !== 'linux' }, async () => {
  const { all } = await cgroupFoldersOf(process.pid);
  assert.ok(
    all.every((folder) => existsSync(`${folder}/cgroup.procs`)),
    all.join(),
  );
});

test('only cgroups that one is not in have to be joined', () => {
  const own = '3:cpu,cpuacct:/user\n2:memory:/user/helper\n1:name=systemd:/session\n';
  const other = '3:cpu,cpuacct:/user\n2:memory:/user/target\n1:name=systemd:/session\n';
  assert.equal(furtherCgroups(own, other), '2:memory:/user/target');
  assert.equal(furtherCgroups(own, own), '');
});

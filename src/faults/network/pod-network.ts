import { readlink } from 'node:fs/promises';
import { unless } from '@turnsole/kube/client/errors';
import { ContainerRuntimeError } from '../../experiment/injection/errors.ts';
import { type LocatedProcess, locateContainer, parseStat } from '../../experiment/node/container-locator.ts';
import { NodeError } from '../../experiment/node/node-error.ts';
import { takeSnapshot } from '../../experiment/node/process-snapshot.ts';

/** The network namespace of a pod, by a process that is in it. */
export interface TargetNetwork {
  readonly process: LocatedProcess;
  /** `net:[4026532281]`. */
  readonly namespace: string;
}

/** Variable of the process that keeps an embedded cluster's pod; other clusters' pause containers have a cgroup. */
const POD_VARIABLE = 'TURNSOLE_POD_UID';

/**
 * Finds the network of a pod on this node; undefined when nothing of the pod is left here.
 *
 * The namespace outlives the containers, so it is found by the pod's uid first: a container that is just being restarted,
 * or was restarted since the injection, does not matter.
 *
 * @param containerId as in the pod's status; for pods whose processes have no cgroup of the pod
 */
export async function findPodNetwork(
  podUid: string | undefined,
  containerId: string | undefined,
): Promise<TargetNetwork | undefined> {
  const process = (await findByPod(podUid)) ?? (await findByContainer(containerId));
  if (process === undefined) return undefined;
  const namespace = await namespaceOf(process.pid);
  return namespace === undefined ? undefined : { process, namespace };
}

/**
 * Makes sure that the namespace is the pod's own.
 *
 * @throws NodeError when the node or this process shares it: a fault would then hit more than the pod
 */
export async function assertOwnNetwork({ namespace }: TargetNetwork, pod: string): Promise<void> {
  const others = await Promise.all([namespaceOf(1), namespaceOf(process.pid)]);
  if (!others.includes(namespace)) return;
  throw new NodeError(
    `cannot change the network of ${pod}: it has none of its own, so that the whole node would be hit; choose a pod ` +
      'without hostNetwork, and on an embedded cluster isolated pods (--isolation full, which takes Linux, and root or a user who may make namespaces)',
  );
}

/** Whether a line of /proc/<pid>/cgroup is below the cgroup of a pod: `…/pod<uid>/…`, or with `_` in systemd's slices. Pure. */
export function isCgroupOfPod(line: string, podUid: string): boolean {
  const path = line.split(':').slice(2).join(':');
  return [podUid, podUid.replaceAll('-', '_')].some((uid) =>
    path.split('/').some((segment) => segment.replace(/\.slice$/, '').endsWith(`pod${uid}`)),
  );
}

async function findByPod(podUid: string | undefined): Promise<LocatedProcess | undefined> {
  if (podUid === undefined || podUid === '') return undefined;
  const variable = `${POD_VARIABLE}=${podUid}`;
  const uids = [podUid, podUid.replaceAll('-', '_')];
  const snapshot = await takeSnapshot('/proc');
  // The quick test first: it runs for every process and every pod.
  const pids = [
    ...snapshot.pidsWhere(
      'cgroup',
      (text) =>
        uids.some((uid) => text.includes(uid)) &&
        text.split('\n').some((line) => isCgroupOfPod(line, podUid)),
    ),
    ...snapshot.pidsWhere(
      'environ',
      (text) => text.includes(variable) && text.split('\0').includes(variable),
    ),
  ];
  const found = pids.flatMap((pid) => {
    const stat = parseStat(snapshot.read(pid, 'stat'));
    return stat === undefined ? [] : [{ pid, startTicks: stat.startTicks }];
  });
  // The oldest is the one that keeps the namespaces; later ones may have made some of their own.
  return found.sort((a, b) => a.startTicks - b.startTicks || a.pid - b.pid)[0];
}

async function findByContainer(containerId: string | undefined): Promise<LocatedProcess | undefined> {
  if (containerId === undefined || containerId === '') return undefined;
  return unless((error) => error instanceof ContainerRuntimeError, locateContainer(containerId));
}

function namespaceOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/net`).catch(() => undefined);
}

/** The pod of its own that a cmdProbe with `source` runs its command in. */

import { randomBytes } from 'node:crypto';
import { createPod } from '@turnsole/kube/apply/create-pod';
import { unless } from '@turnsole/kube/client/errors';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { Container, OwnerReference, Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { isTooLate, waitForObject } from '@turnsole/kube/runtime/wait';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import { LABEL_CHAOS_UID } from '../../api/index.ts';
import type { CmdProbeInputs } from '../../api/schema/probe.ts';
import { saysNoShell } from '../../chaos/no-shell.ts';
import { podHasEnded } from '../../chaos/pod-end.ts';
import { howFar } from '../../chaos/pod-start.ts';
import type { PrepareContext } from './probe-kind.ts';
import type { ShellResult } from './shell.ts';

/** What a source says; absent fields take the defaults below. */
type CmdSource = NonNullable<CmdProbeInputs['source']>;

/** Waits for a stop signal: unlike a long sleep it ends at once on one, and never by itself. */
const WAIT = "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done";
/** As upstream names them, for volumes that `inheritInputs` takes over. */
const INHERITED_VOLUMES = ['cloud-secret'];

/** Input of the pod, besides the source. */
interface SourcePodInput {
  readonly name: string;
  readonly namespace: string;
  readonly source: CmdSource;
  readonly env: Environment;
  /** The experiment's own pod; undefined when it runs outside of a cluster. */
  readonly own: Pod | undefined;
}

/** The pod as an object. Pure. The experiment's pod owns it, so it is deleted with that, whatever dies. */
function sourcePod({ name, namespace, source, env, own }: SourcePodInput): NewObject<Pod> {
  const experiment = env.EXPERIMENT_NAME ?? 'cmd';
  const template = own?.spec?.containers[0];
  const inherits = source.inheritInputs === true;
  const inheritedVolumes = inherits
    ? (own?.spec?.volumes ?? []).filter((volume) => INHERITED_VOLUMES.includes(volume.name))
    : [];
  const inheritedMounts = inherits
    ? (template?.volumeMounts ?? []).filter((mount) => INHERITED_VOLUMES.includes(mount.name))
    : [];
  const container: Container = {
    name: `${experiment}-probe`.slice(-63).replace(/^-+/, ''),
    image: source.image,
    imagePullPolicy: source.imagePullPolicy || pullPolicy(env.LIB_IMAGE_PULL_POLICY),
    command: source.command?.length ? source.command : ['/bin/sh'],
    args: source.args?.length ? source.args : ['-c', WAIT],
    env: [...(inherits ? (template?.env ?? []) : []), ...(source.env ?? [])],
    volumeMounts: [...inheritedMounts, ...(source.volumeMount ?? [])],
    ...(source.privileged === true ? { securityContext: { privileged: true } } : {}),
    ...(inherits && template?.resources !== undefined ? { resources: template.resources } : {}),
  };
  const serviceAccountName = env.CHAOS_SERVICE_ACCOUNT || own?.spec?.serviceAccountName;
  return {
    metadata: {
      name,
      namespace,
      labels: { name, [LABEL_CHAOS_UID]: env.CHAOS_UID ?? '', ...source.labels },
      annotations: source.annotations,
      ...(own === undefined ? {} : { ownerReferences: [ownedBy(own)] }),
    },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [container],
      ...(serviceAccountName ? { serviceAccountName } : {}),
      ...(source.hostNetwork === true ? { hostNetwork: true } : {}),
      nodeSelector: source.nodeSelector,
      tolerations: source.tolerations,
      imagePullSecrets: source.imagePullSecrets,
      volumes: [...inheritedVolumes, ...(source.volumes ?? [])],
    },
  };
}

function pullPolicy(text: string | undefined): 'Always' | 'IfNotPresent' | 'Never' {
  return text === 'IfNotPresent' || text === 'Never' ? text : 'Always';
}

function ownedBy({ metadata }: Pod): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid ?? '' };
}

/** A pod that waits for commands. */
export interface SourcePod {
  /** Runs a shell command in it. Rejects when that cannot be done; an exit code is a result. */
  run(command: string, signal: AbortSignal): Promise<ShellResult>;
  /** Deletes it; never rejects. */
  remove(): Promise<void>;
}

/**
 * Creates the pod and resolves when its container runs and is ready.
 *
 * @throws Error that says what keeps it from starting · the signal's reason. The pod is then deleted.
 */
export async function startSourcePod(source: CmdSource, context: PrepareContext): Promise<SourcePod> {
  const { client, clock, env, signal, timeoutMs } = context;
  const namespace = env.CHAOS_NAMESPACE || 'litmus';
  const stem = `${env.EXPERIMENT_NAME ?? 'cmd'}-probe`.slice(0, 56);
  const name = `${stem}-${randomBytes(3).toString('hex')}`;
  const own = env.POD_NAME ? await client.find<Pod>(PODS, env.POD_NAME, { namespace, signal }) : undefined;
  const pod = await createPod(client, sourcePod({ name, namespace, source, env, own }), {
    namespace,
    signal,
  });
  const remove = (): Promise<void> => removePod(client, name, namespace);
  try {
    let last: Pod | undefined = pod;
    const look = (seen: Pod | undefined): boolean => {
      last = seen;
      return seen === undefined || podHasEnded(seen) || isReady(seen);
    };
    const options = { namespace, timeoutMs, signal, clock };
    await unless(isTooLate, waitForObject<Pod>(client, PODS, name, look, options));
    if (last === undefined || !isReady(last)) {
      const seconds = Math.round(timeoutMs / 1000);
      throw new Error(`the source pod ${namespace}/${name} ${whyNot(last, source, seconds)}`);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  const container = pod.spec?.containers[0]?.name ?? '';
  return {
    run: async (command, commandSignal) => {
      const place = { namespace, name, container, signal: commandSignal, timeoutMs };
      const result = await client
        .exec({ ...place, command: ['/bin/sh', '-c', command] })
        .catch((error: unknown) => {
          throw saysNoShell(messageOf(error)) ? new Error(withoutShell(source)) : error;
        });
      if (result.isTruncated) throw new Error('the command wrote more than 1 MiB');
      return { exitCode: result.exitCode, killedBy: undefined, stdout: result.stdout, stderr: result.stderr };
    },
    remove,
  };
}

function isReady({ status }: Pod): boolean {
  return status?.containerStatuses?.[0]?.ready === true;
}

function withoutShell({ image }: CmdSource): string {
  return `the image ${image} of the source has no /bin/sh, by which the command is run: name an image that has one`;
}

function whyNot(pod: Pod | undefined, source: CmdSource, seconds: number): string {
  if (pod === undefined) return 'was deleted before its command could be run';
  const { waiting, terminated } = pod.status?.containerStatuses?.[0]?.state ?? {};
  if (saysNoShell(`${waiting?.message} ${terminated?.message}`))
    return `cannot start: ${withoutShell(source)}`;
  if (podHasEnded(pod)) {
    return 'ended before its command could be run; its command and args have to keep it running';
  }
  return `is not ready after ${seconds} s: ${howFar(pod)}`;
}

/** Never rejects: its owner reference also removes it, so that a failure here leaves nothing for good. */
async function removePod(client: KubeClient, name: string, namespace: string): Promise<void> {
  await client.delete(PODS, name, { namespace, gracePeriodSeconds: 0, repeatable: true }).catch(() => {});
}

import type { Container, Pod, Toleration, Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import type { Kept, RecoveryTemplate } from '../../api/recovery-template.ts';

/** Labels that a Job's controller puts on its pods; a recovery has a Job of its own. */
const OF_JOB = /(job-name|controller-uid)$/;
/** Every pod gets these; they would be refused or doubled when they were asked for. */
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const DEFAULT_TOLERATIONS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/**
 * The part of an experiment's pod that a recovery needs. Pure.
 *
 * @param container the experiment's own
 * @param taints by which the experiment itself is going to keep pods off nodes @default none
 * @param limitSeconds how long the recovery may take @default as usual
 */
export function recoveryTemplate(
  experiment: string,
  pod: Pod,
  container: Container | undefined = pod.spec?.containers[0],
  taints: readonly Pick<Toleration, 'key' | 'effect'>[] = [],
  limitSeconds?: number,
): RecoveryTemplate | undefined {
  const { spec, metadata } = pod;
  if (spec === undefined || container === undefined) return undefined;
  const mounts = container.volumeMounts?.filter(({ mountPath }) => mountPath !== TOKEN_PATH) ?? [];
  const used = new Set(mounts.map(({ name }) => name));
  return {
    experiment,
    limitSeconds: limitSeconds ?? null,
    labels: Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => !OF_JOB.test(key))),
    container: {
      image: container.image ?? null,
      imagePullPolicy: container.imagePullPolicy ?? null,
      command: container.command ?? null,
      args: container.args ?? null,
      env: container.env ?? null,
      envFrom: container.envFrom ?? null,
      volumeMounts: orNull<VolumeMount>(mounts),
      resources: container.resources ?? null,
      securityContext: container.securityContext ?? null,
    },
    pod: {
      serviceAccountName: spec.serviceAccountName ?? null,
      imagePullSecrets: spec.imagePullSecrets ?? null,
      nodeSelector: spec.nodeSelector ?? null,
      tolerations: orNull<Toleration>([
        ...(spec.tolerations ?? []).filter(({ key }) => !DEFAULT_TOLERATIONS.includes(key ?? '')),
        ...taints.map(({ key, effect }) => ({ key, operator: 'Exists', effect })),
      ]),
      volumes: orNull<Volume>((spec.volumes ?? []).filter(({ name }) => used.has(name))),
      securityContext: spec.securityContext ?? null,
      hostPID: spec.hostPID ?? null,
    },
  };
}

function orNull<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list;
}

/** The same without the parts that are null, as a pod spec wants it. */
export function withoutNulls<T extends object>(kept: Kept<T>): Partial<T> {
  const entries = Object.entries(kept).filter(([, value]) => value !== null && value !== undefined);
  // Only nulls and absent values were taken away.
  return Object.fromEntries(entries) as Partial<T>;
}

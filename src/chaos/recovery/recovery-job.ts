import { createHash } from 'node:crypto';
import type { EnvVar, Job } from '@turnsole/kube/kinds/core';
import { LABEL_CHAOS_UID, LABEL_RECOVERY, LABEL_RUN_ID } from '../../api/labels.ts';
import type { ChaosResult } from '../../api/schema/result.ts';
import { recoveryLimitMs } from './decide-recovery.ts';
import { withoutNulls } from './template.ts';

/** Variable that makes `turnsole experiment` revert the open entries of this ChaosResult, and nothing else. */
export const RECOVER_VARIABLE = 'TURNSOLE_RECOVER';

/** How much longer than it is waited for one recovery may work; its Job is ended then. */
const MARGIN_SECONDS = 15;
/** Recoveries that were not removed go by themselves. */
const REMOVED_AFTER_SECONDS = 300;
/** Time for a recovery to finish the reverts under way after a stop signal. */
const GRACE_SECONDS = 30;

/**
 * Name of the Job of an attempt to recover a result's run. It follows from result and run, so that each component that has to recover,
 * runner or operator, now or after a crash, finds the earlier attempts.
 */
export function recoveryJobName(result: ChaosResult, attempt: number): string {
  const { metadata, status } = result;
  const run = metadata.labels?.[LABEL_RUN_ID] ?? '';
  const digest = createHash('sha256')
    .update(`${metadata.uid ?? ''}\n${run}`)
    .digest();
  const suffix = digest.readUIntBE(0, 6).toString(36).padStart(6, '0').slice(-6);
  const stem = (status?.recovery?.experiment ?? 'chaos').replaceAll('.', '-').slice(0, 44).replace(/-+$/, '');
  return `${stem}-recover-${suffix}-${attempt}`;
}

/**
 * The Job that starts a result's experiment once more to revert what it left; undefined when the result does not say how its
 * experiment was started. Pure.
 *
 * It has no owner: the engine that it works for may be on its way out, and would take it along.
 */
export function recoveryJob(
  result: ChaosResult,
  attempt: number,
): (Omit<Job, 'metadata'> & { metadata: { name: string } }) | undefined {
  const template = result.status?.recovery;
  if (template === undefined || template === null || !template.container?.image) return undefined;
  const { name, namespace, labels: own = {} } = result.metadata;
  const labels = {
    ...template.labels,
    ...pick(own, LABEL_CHAOS_UID),
    ...pick(own, LABEL_RUN_ID),
    [LABEL_RECOVERY]: 'true',
  };
  const jobName = recoveryJobName(result, attempt);
  const env = (template.container.env ?? []).filter((variable: EnvVar) => variable.name !== RECOVER_VARIABLE);
  const metadata = { name: jobName, namespace, labels };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: recoveryLimitMs(result) / 1000 + MARGIN_SECONDS,
      ttlSecondsAfterFinished: REMOVED_AFTER_SECONDS,
      template: {
        metadata: { labels },
        spec: {
          ...withoutNulls(template.pod),
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: GRACE_SECONDS,
          containers: [
            {
              ...withoutNulls(template.container),
              // The name says to helpers which container is the experiment's.
              name: jobName,
              env: [...env, { name: RECOVER_VARIABLE, value: name }],
            },
          ],
        },
      },
    },
  };
}

/** How long the recovery is waited for that a Job does, by that Job. Pure. */
export function jobLimitMs({ spec }: Pick<Job, 'spec'>): number {
  const deadline = spec?.activeDeadlineSeconds;
  return deadline === undefined ? recoveryLimitMs(undefined) : (deadline - MARGIN_SECONDS) * 1000;
}

function pick(labels: Readonly<Record<string, string>>, key: string): Record<string, string> {
  const value = labels[key];
  return value === undefined ? {} : { [key]: value };
}

import { systemClock } from '@turnsole/kube/base/clock';
import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { decodeCronWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import { ANNOTATION_SCHEDULED_TIME } from '@turnsole/workflows/kinds/labels';
import { CRON_WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { EXIT } from '../../../process/exit-codes.ts';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { CommandError } from '../../../services/errors.ts';
import { patchSpec } from '../../../services/objects.ts';
import { backfillOf } from '../../../services/workflows/backfill.ts';
import { followWorkflow } from '../../../services/workflows/follow.ts';
import { phaseText } from '../../../services/workflows/phase.ts';
import { createWorkflow } from '../../../services/workflows/submit.ts';
import { onCluster } from './session.ts';

/** Options of `turnsole workflow cron backfill`. */
export interface BackfillOptions extends ClusterOptions {
  readonly start: string;
  readonly end?: string;
  readonly parallel: number;
  readonly dryRun?: boolean;
}

/** Holds CronWorkflows, or lets them go on. */
export function setSuspended(
  names: readonly string[],
  isSuspended: boolean,
  options: ClusterOptions,
): Promise<number> {
  return onCluster(options, async ({ client, namespace }, signal) => {
    for (const name of names) {
      const object: KubeObject = { metadata: { name, namespace } };
      if (!(await patchSpec(client, CRON_WORKFLOWS, object, { suspend: isSuspended }, signal)))
        throw new CommandError(`there is no CronWorkflow ${namespace}/${name}`, 'NOT_FOUND');
      console.log(`CronWorkflow ${namespace}/${name} was ${isSuspended ? 'suspended' : 'resumed'}`);
    }
    return EXIT.pass;
  });
}

/** Creates the workflows of times that have passed, so many at a time. */
export function backfill(name: string, options: BackfillOptions): Promise<number> {
  return onCluster(options, async ({ client, namespace }, signal) => {
    const found = await client.find<KubeObject>(CRON_WORKFLOWS, name, { namespace });
    if (found === undefined)
      throw new CommandError(`there is no CronWorkflow ${namespace}/${name}`, 'NOT_FOUND');
    const waiting = backfillOf(decodeCronWorkflow(found), options, systemClock.now());
    if (options.dryRun === true) {
      for (const { metadata } of waiting)
        console.log(`${metadata.annotations?.[ANNOTATION_SCHEDULED_TIME]}  ${metadata.name}`);
      return EXIT.pass;
    }
    let hasFailed = false;
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!(await runOne(client, next, signal))) hasFailed = true;
      }
    };
    await Promise.all(Array.from({ length: options.parallel }, work));
    return hasFailed ? EXIT.fail : EXIT.pass;
  });
}

/** Whether the workflow of one time succeeded; of a time that had one already, how that one ended. */
async function runOne(client: KubeClient, workflow: Workflow, signal: AbortSignal): Promise<boolean> {
  const created = await createWorkflow(workflow, { client }).catch((error: unknown) => {
    if (error instanceof CommandError && isAlreadyExists(error.cause)) return undefined;
    throw error;
  });
  const { name } = workflow.metadata;
  if (created === undefined) {
    console.log(`${name} was there already`);
    return true;
  }
  const ended = await followWorkflow(created, { client, signal });
  console.log(`${name} ${ended === undefined ? 'was deleted' : phaseText(ended)}`);
  return ended?.status?.phase === 'Succeeded';
}

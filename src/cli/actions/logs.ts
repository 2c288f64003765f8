import { systemClock } from '@turnsole/kube/base/clock';
import type { ClusterOptions } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';
import { findRecord } from '../../services/report/find-record.ts';
import { engineLogs } from '../../services/run/engine-logs.ts';
import { type LineOptions, printedLines } from '../log-lines.ts';
import { onCluster } from './workflow/session.ts';

/** Options of `turnsole logs`. */
export interface LogsOptions extends ClusterOptions, LineOptions {
  readonly follow?: boolean;
  readonly allRuns?: boolean;
  readonly container?: string;
}

/** Prints what the pods of an engine's run print, each line behind the name of its pod. */
export function run(name: string, pod: string | undefined, options: LogsOptions): Promise<number> {
  const lines = printedLines(options, systemClock.now());
  return onCluster(options, async ({ client, namespace }, signal) => {
    const record = await findRecord(client, namespace, name);
    if (record === undefined) {
      const message = `neither a ChaosEngine ${namespace}/${name} nor results of one exist in this cluster; logs of a Workflow: turnsole workflow logs ${name}`;
      throw new CommandError(message, 'NOT_FOUND');
    }
    const { follow = false, allRuns = false, container } = options;
    const count = await engineLogs(record, {
      ...lines,
      client,
      signal,
      follow,
      allRuns,
      ...(pod !== undefined && { pod }),
      ...(container !== undefined && { container }),
    });
    if (count === 0) console.error(`${noPods(name, pod)}; turnsole timeline ${name} says what was done`);
    return 0;
  });
}

function noPods(name: string, pod: string | undefined): string {
  if (pod !== undefined) return `no pod ${pod} belongs to the run of ${name}`;
  return `there are no pods of the run of ${name}: none has begun, or they were removed after it (spec.jobCleanUpPolicy: retain keeps them)`;
}

import { systemClock } from '@turnsole/kube/base/clock';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { findWorkflow } from '../../../services/workflows/find.ts';
import { workflowLogs } from '../../../services/workflows/logs.ts';
import { type LineOptions, printedLines } from '../../log-lines.ts';
import { onCluster } from './session.ts';

/** Options of `turnsole workflow logs`. */
export interface LogsOptions extends ClusterOptions, LineOptions {
  readonly follow?: boolean;
  readonly container?: string;
  readonly selector?: string;
}

/** Prints what the pods of a workflow print, each line behind the name of its pod. */
export function run(name: string, pod: string | undefined, options: LogsOptions): Promise<number> {
  const lines = printedLines(options, systemClock.now());
  return onCluster(options, async ({ client, namespace }, signal) => {
    const workflow = await findWorkflow({ client, namespace }, name);
    const { container, selector } = options;
    await workflowLogs(workflow, {
      ...lines,
      client,
      signal,
      follow: options.follow ?? false,
      ...(pod !== undefined && { pod }),
      ...(container !== undefined && { container }),
      ...(selector !== undefined && { labelSelector: selector }),
    });
    return 0;
  });
}

import { systemClock } from '@turnsole/kube/base/clock';
import { messageOf } from '@turnsole/kube/text/error-message';
import { Pattern } from '@turnsole/kube/text/pattern';
import { parseTime } from '@turnsole/kube/text/time';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { CommandError } from '../../../services/errors.ts';
import { findWorkflow } from '../../../services/workflows/find.ts';
import { workflowLogs } from '../../../services/workflows/logs.ts';
import { onCluster } from './session.ts';

/** Options of `turnsole workflow logs`. */
export interface LogsOptions extends ClusterOptions {
  readonly follow?: boolean;
  readonly container?: string;
  readonly since?: number;
  readonly sinceTime?: string;
  readonly tail?: number;
  readonly timestamps?: boolean;
  readonly grep?: string;
  readonly prefix: boolean;
  readonly selector?: string;
}

/** Prints what the pods of a workflow print, each line behind the name of its pod. */
export function run(name: string, pod: string | undefined, options: LogsOptions): Promise<number> {
  const sinceTime = sinceTimeOf(options, systemClock.now());
  const expression = options.grep === undefined ? undefined : expressionOf(options.grep);
  return onCluster(options, async ({ client, namespace }, signal) => {
    const workflow = await findWorkflow({ client, namespace }, name);
    const { container, tail, selector } = options;
    await workflowLogs(workflow, {
      client,
      signal,
      follow: options.follow ?? false,
      timestamps: options.timestamps ?? false,
      pod,
      container,
      tailLines: tail,
      sinceTime,
      labelSelector: selector,
      onLine: (from, line) => {
        if (expression?.isIn(line) ?? true) console.log(options.prefix ? `${from}: ${line}` : line);
      },
      onWaiting: (from, reason) => {
        console.error(`${from} has printed nothing yet: ${reason}`);
      },
    });
    return 0;
  });
}

function sinceTimeOf({ since, sinceTime }: LogsOptions, nowMs: number): string | undefined {
  if (since !== undefined && sinceTime !== undefined)
    throw new CommandError('--since and --since-time exclude one another', 'OPTION_INVALID');
  if (since !== undefined) return new Date(nowMs - since).toISOString();
  if (sinceTime !== undefined && parseTime(sinceTime) === undefined)
    throw new CommandError(`--since-time: expected an RFC 3339 time, found ${sinceTime}`, 'OPTION_INVALID');
  return sinceTime;
}

function expressionOf(text: string): Pattern {
  try {
    return Pattern.read(text);
  } catch (cause) {
    throw new CommandError(`--grep: ${messageOf(cause)}`, 'OPTION_INVALID', { cause });
  }
}

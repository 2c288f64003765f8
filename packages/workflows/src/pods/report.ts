import type { Pod } from '@turnsole/kube/kinds/core';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import type { Outputs } from '../kinds/parameters.ts';
import type { NodeId } from '../kinds/status.ts';

/** What a pod reports of its node: lines of the log of one of our own containers. The controller makes `reported` of it. */
export interface Report {
  readonly node: NodeId;
  readonly outputs?: Outputs;
  readonly progress?: string;
  /** Whether it is the last one. */
  readonly isComplete: boolean;
}

/** The beginning of a log line that is a report; other lines are for people. */
const MARK = 'turnsole-report ';

/** A report as a line of the log. */
export function reportLine(report: Report): string {
  return `${MARK}${JSON.stringify(report)}\n`;
}

/**
 * The report in a line of the log of {@link reportingContainer}; undefined for lines that are none, or of another node. Only our own
 * programs write that log: what a user's command prints never gets into it.
 */
export function readReport(line: string, node: NodeId): Report | undefined {
  if (!line.startsWith(MARK)) return undefined;
  const read = parseObject(line.slice(MARK.length));
  if (read === undefined || read['node'] !== node) return undefined;
  const { outputs, progress, isComplete } = read;
  return {
    node,
    ...(isObject(outputs) && { outputs: outputs as Outputs }),
    ...(typeof progress === 'string' && { progress }),
    isComplete: isComplete === true,
  };
}

/** The container in whose log reports of a pod stand: the helper beside main, or main where that is ours. */
export function reportingContainer({ spec }: Pod): 'wait' | 'main' {
  return spec?.containers.some(({ name }) => name === 'wait') === true ? 'wait' : 'main';
}

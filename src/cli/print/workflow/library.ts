import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { CronWorkflowSpec } from '@turnsole/workflows/kinds/cron-workflow';
import { decodeCronWorkflow } from '@turnsole/workflows/kinds/decode/workflow';
import { scheduleProblem } from '../../../services/workflows/schedule-problem.ts';
import { formatColumns } from '../columns.ts';
import { ageOf } from './times.ts';

interface LibraryLook {
  readonly withNamespace: boolean;
  readonly nowMs: number;
}

/** Templates or CronWorkflows one a line. Pure. */
export function formatLibrary(objects: readonly KubeObject[], look: LibraryLook): string[] {
  const isCron = objects.some(({ kind }) => kind === 'CronWorkflow');
  const header = isCron ? ['NAME', 'AGE', 'LAST RUN', 'SCHEDULES', 'TIMEZONE', 'SUSPENDED'] : ['NAME', 'AGE'];
  const rows = objects
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((object) => {
      const cells = [object.metadata.name, ageOf(object.metadata.creationTimestamp, look.nowMs)];
      const all = isCron ? [...cells, ...cronCells(object, look.nowMs)] : cells;
      return look.withNamespace ? [object.metadata.namespace ?? '', ...all] : all;
    });
  return formatColumns([look.withNamespace ? ['NAMESPACE', ...header] : header, ...rows]);
}

function cronCells(object: KubeObject, nowMs: number): string[] {
  const { spec, status } = decodeCronWorkflow(object);
  const last = ageOf(status?.lastScheduledTime, nowMs);
  return [
    last === '' ? 'never' : last,
    schedulesText(spec),
    spec.timezone ?? '',
    String(spec.suspend ?? false),
  ];
}

/** The schedules; of those that cannot be read, why nothing will run. */
function schedulesText(spec: CronWorkflowSpec): string {
  const problem = scheduleProblem(spec);
  const text = spec.schedules.join(', ');
  return problem === undefined ? text : `${text} (starts nothing: ${problem})`;
}

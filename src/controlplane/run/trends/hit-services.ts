import { isObject } from '@turnsole/kube/text/json';
import type { WorkloadReadiness } from '../../../api/schema/result.ts';
import { workloadCourse } from '../../../services/report/course/course.ts';
import { recoveriesOf } from '../../../services/report/course/recoveries.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { HitService } from './service-trends.ts';

/**
 * The workloads that a run hit, by the results from its agent, each once with all times in which pods of it were missing. What is no workload is left
 * out: objects in a cluster may have any content. Pure.
 */
export function hitServices(records: readonly StoredRecord[]): readonly HitService[] {
  const workloads = records
    .filter(({ kind }) => kind === 'ChaosResult')
    .flatMap(({ object: { status } }) => (isObject(status) ? readWorkloads(status.workloads) : []));
  const groups = Map.groupBy(workloads, ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  return [...groups.values()].flatMap((own) => {
    const recoveries = own.map(workloadCourse).flatMap(recoveriesOf);
    const [first] = own;
    return first === undefined
      ? []
      : [
          {
            ...{ kind: first.kind, namespace: first.namespace, name: first.name },
            recoveriesMs: recoveries.flatMap(({ fromMs, toMs }) => (toMs === undefined ? [] : toMs - fromMs)),
            isBack: recoveries.every(({ toMs }) => toMs !== undefined),
          },
        ];
  });
}

function readWorkloads(value: unknown): WorkloadReadiness[] {
  return (Array.isArray(value) ? value : []).filter(isWorkload);
}

function isWorkload(value: unknown): value is WorkloadReadiness {
  if (!isObject(value)) return false;
  const { kind, namespace, name, readyBefore, ready = [] } = value;
  return (
    [kind, namespace, name].every((text) => typeof text === 'string') &&
    typeof readyBefore === 'number' &&
    Array.isArray(ready) &&
    ready.every((one) => isObject(one) && typeof one.time === 'string' && typeof one.pods === 'number')
  );
}

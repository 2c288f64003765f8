/** What `kubectl get pods` shows. Source of the words: the output of kubectl against real servers. */
import {
  type ApiObject,
  asJson,
  asList,
  asNumber,
  asObjects,
  asString,
  isJson,
  type Json,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, type Column, column, NAME_COLUMN } from './column.ts';
import { formatAge } from './duration.ts';

export const POD_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  column('Ready', (pod) => {
    const { ready, total } = readiness(pod);
    return `${ready}/${total}`;
  }),
  column('Status', podStatus),
  column('Restarts', (pod, now) => restarts(pod, now)),
  AGE_COLUMN,
  column('IP', (pod) => firstIp(pod), { wide: true }),
  column('Node', (pod) => asString(valueAt(pod, 'spec', 'nodeName')) || '<none>', { wide: true }),
  column('Nominated Node', (pod) => asString(valueAt(pod, 'status', 'nominatedNodeName')) || '<none>', {
    wide: true,
  }),
  column('Readiness Gates', readinessGates, { wide: true }),
];

function statuses(pod: ApiObject, field: string): Json[] {
  return asObjects(asJson(pod.status)[field]);
}

function isSidecar(pod: ApiObject, name: unknown): boolean {
  const found = asObjects(valueAt(pod, 'spec', 'initContainers')).find(
    (container) => container.name === name,
  );
  return found?.restartPolicy === 'Always';
}

function readiness(pod: ApiObject): { readonly ready: number; readonly total: number } {
  const containers = asObjects(valueAt(pod, 'spec', 'containers')).length;
  const sidecars = asObjects(valueAt(pod, 'spec', 'initContainers')).filter(
    (item) => item.restartPolicy === 'Always',
  );
  const running = [
    ...statuses(pod, 'containerStatuses'),
    ...statuses(pod, 'initContainerStatuses').filter((status) => isSidecar(pod, status.name)),
  ];
  const ready = running.filter((status) => status.ready === true && isJson(asJson(status.state).running));
  return { ready: ready.length, total: containers + sidecars.length };
}

/** The one word that sums a pod up: its phase, or what its containers wait for or died of. Pure. */
function podStatus(pod: ApiObject): string {
  const status = asJson(pod.status);
  let reason = asString(status.reason) || asString(status.phase);
  const gated = asObjects(status.conditions).find(
    (condition) => condition.type === 'PodScheduled' && condition.reason === 'SchedulingGated',
  );
  if (gated !== undefined) reason = 'SchedulingGated';
  const initial = initReason(pod);
  if (initial !== undefined) reason = initial;
  else reason = containersReason(pod, reason);
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (asString(status.reason) === 'NodeLost') return 'Unknown';
    if (status.phase !== 'Succeeded' && status.phase !== 'Failed') return 'Terminating';
  }
  return reason;
}

/** The status text for an init container that has not done its work. */
function initReason(pod: ApiObject): string | undefined {
  const all = asObjects(valueAt(pod, 'spec', 'initContainers')).length;
  for (const [index, status] of statuses(pod, 'initContainerStatuses').entries()) {
    const terminated = asJson(status.state).terminated;
    const waiting = asJson(status.state).waiting;
    if (isJson(terminated) && asNumber(terminated.exitCode) === 0) continue;
    if (isSidecar(pod, status.name) && status.started === true) continue;
    if (isJson(terminated)) {
      if (asString(terminated.reason) !== '') return `Init:${asString(terminated.reason)}`;
      return asNumber(terminated.signal) !== 0
        ? `Init:Signal:${asNumber(terminated.signal)}`
        : `Init:ExitCode:${asNumber(terminated.exitCode)}`;
    }
    const why = isJson(waiting) ? asString(waiting.reason) : '';
    if (why !== '' && why !== 'PodInitializing') return `Init:${why}`;
    return `Init:${index}/${all}`;
  }
  return undefined;
}

function containersReason(pod: ApiObject, otherwise: string): string {
  let reason = otherwise;
  let hasRunning = false;
  for (const status of statuses(pod, 'containerStatuses').toReversed()) {
    const state = asJson(status.state);
    const { waiting, terminated, running } = state;
    if (isJson(waiting) && asString(waiting.reason) !== '') reason = asString(waiting.reason);
    else if (isJson(terminated)) {
      const words = asString(terminated.reason);
      const signal = asNumber(terminated.signal);
      if (words !== '') reason = words;
      else reason = signal !== 0 ? `Signal:${signal}` : `ExitCode:${asNumber(terminated.exitCode)}`;
    } else if (isJson(running) && status.ready === true) hasRunning = true;
  }
  if (reason === 'Completed' && hasRunning) {
    const ready = asObjects(asJson(pod.status).conditions).find((condition) => condition.type === 'Ready');
    return ready?.status === 'True' ? 'Running' : 'NotReady';
  }
  return reason;
}

function restarts(pod: ApiObject, now: number): string {
  let count = 0;
  let last = 0;
  for (const status of [...statuses(pod, 'initContainerStatuses'), ...statuses(pod, 'containerStatuses')]) {
    if (asNumber(status.restartCount) === 0) continue;
    count += asNumber(status.restartCount);
    const finished = Date.parse(asString(valueAt(status, 'lastState', 'terminated', 'finishedAt')));
    if (finished > last) last = finished;
  }
  return last === 0 ? String(count) : `${count} (${formatAge(new Date(last).toISOString(), now)} ago)`;
}

function firstIp(pod: ApiObject): string {
  const [first] = asObjects(valueAt(pod, 'status', 'podIPs'));
  return asString(first?.ip) || asString(valueAt(pod, 'status', 'podIP')) || '<none>';
}

function readinessGates(pod: ApiObject): string {
  const gates = asList(valueAt(pod, 'spec', 'readinessGates'));
  if (gates.length === 0) return '<none>';
  const conditions = asObjects(valueAt(pod, 'status', 'conditions'));
  const passed = gates.filter((gate) =>
    conditions.some(({ type, status }) => type === asJson(gate).conditionType && status === 'True'),
  );
  return `${passed.length}/${gates.length}`;
}

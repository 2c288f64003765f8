import type { ContainerFact, ContainerRole, PodFact } from '@turnsole/workflows/engine/change';
import type { RecordedNode, RecordedPod, RecordedState } from './recording.ts';

/** A pod while it waits: the message is what its node showed. */
export function pendingPod(pod: RecordedPod, message: string): PodFact {
  const [reason = '', ...rest] = message.split(': ');
  if (message.startsWith('Unschedulable')) {
    return { name: pod.name, phase: 'Pending', containers: [], unschedulable: rest.join(': ') };
  }
  const state = {
    kind: 'waiting',
    ...(reason !== '' && { reason }),
    ...(rest.length > 0 && { message: rest.join(': ') }),
  } as const;
  return { name: pod.name, phase: 'Pending', containers: [{ name: 'main', role: 'main', state }] };
}

/** A pod that runs; a daemon is ready. */
export function runningPod(pod: RecordedPod): PodFact {
  const containers = [...rolesOf(pod)].map(([name, role]): ContainerFact => {
    if (role === 'init')
      return { name, role, state: { kind: 'terminated', exitCode: 0, reason: 'Completed' } };
    return { name, role, state: { kind: 'running' }, ready: true };
  });
  return { name: pod.name, phase: 'Running', containers, ip: '<pod ip>', host: '<set>' };
}

/** A pod as it was last seen. */
export function endedPod(pod: RecordedPod, node: RecordedNode | undefined): PodFact {
  // A pod that the kubelet ended was sometimes judged before the states of its containers were known.
  const outputs = node?.['outputs'] as { readonly exitCode?: string } | undefined;
  const isEarly = pod.statusMessage !== undefined && outputs?.exitCode === undefined;
  const states = isEarly ? {} : { ...statesIn(node), ...pod.containerStates };
  const roles = rolesOf(pod);
  const containers = Object.entries(states).map(
    ([name, { exitCode, reason, message }]): ContainerFact => ({
      name,
      role: roles.get(name) ?? 'sidecar',
      state: {
        kind: 'terminated',
        exitCode,
        ...(reason !== undefined && { reason }),
        ...(message !== undefined && { message }),
      },
    }),
  );
  const last = pod.phases.at(-1);
  return {
    name: pod.name,
    phase: last === 'Succeeded' || last === 'Failed' ? last : 'Unknown',
    containers: [...roles.keys()]
      .map((name) => containers.find((container) => container.name === name))
      .filter((container) => container !== undefined),
    ...(pod.statusMessage !== undefined && { message: pod.statusMessage }),
    host: '<set>',
  };
}

/** The recorder kept no states of pods that never ran: the message of the node tells the one that mattered. */
function statesIn(node: RecordedNode | undefined): Record<string, RecordedState> {
  const [, name, reason = '', exitCode, message] =
    /^(\S+): (\S+) \(exit code (\d+)\)(?:: (.*))?$/s.exec(String(node?.['message'] ?? '')) ?? [];
  if (name === undefined) return {};
  return { [name]: { exitCode: Number(exitCode), reason, ...(message !== undefined && { message }) } };
}

function rolesOf(pod: RecordedPod): Map<string, ContainerRole> {
  const roles = new Map<string, ContainerRole>();
  for (const container of pod.initContainers) {
    const name = nameOf(container);
    roles.set(name, name === 'init' ? 'init' : 'userInit');
  }
  const names = pod.containers.map(nameOf);
  const hasMain = names.includes('main');
  for (const name of names) {
    if (name === 'wait') roles.set(name, 'wait');
    else roles.set(name, name === 'main' || !hasMain ? 'main' : 'sidecar');
  }
  return roles;
}

function nameOf(container: string | { readonly name: string }): string {
  return typeof container === 'string' ? container : container.name;
}

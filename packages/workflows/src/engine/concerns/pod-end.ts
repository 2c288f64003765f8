import type { NodePhase } from '../../kinds/status.ts';
import type { ContainerFact, ContainerRole, PodFact } from '../change.ts';

/** What the end of a pod makes of its node. */
export interface PodEnd {
  readonly phase: NodePhase;
  readonly message?: string;
}

const ORDER: readonly ContainerRole[] = ['init', 'userInit', 'main', 'wait', 'sidecar'];

/** Sidecars are ended when the main container is over: killed is no failure. */
const KILLED: ReadonlySet<number> = new Set([137, 143]);

/** Judges a pod that failed (3.6 of the reference). The first container with a reason decides. */
export function judgeFailedPod(pod: PodFact): PodEnd {
  if (pod.message !== undefined && pod.message !== '') return { phase: 'Failed', message: pod.message };
  if (pod.containers.length === 0)
    return { phase: 'Failed', message: `can't find failed message for pod ${pod.name}` };
  for (const role of ORDER) {
    for (const container of pod.containers) {
      const end = container.role === role ? judgeContainer(container) : undefined;
      if (end !== undefined) return end;
    }
  }
  return judgeRest(pod);
}

function judgeContainer({ name, role, state }: ContainerFact): PodEnd | undefined {
  if (state.kind === 'waiting') {
    const { reason = '', message = '' } = state;
    return {
      phase: 'Error',
      message: `Pod failed before ${name} container starts due to ${reason}: ${message}`,
    };
  }
  if (state.kind === 'running' || state.exitCode === 0) return undefined;
  if (role === 'sidecar' && KILLED.has(state.exitCode)) return undefined;
  const phase = role === 'init' || role === 'wait' ? 'Error' : 'Failed';
  return { phase, message: exitText(name, state) };
}

function exitText(
  name: string,
  { exitCode, reason, message }: { exitCode: number; reason?: string; message?: string },
): string {
  const text = `${name}: ${reason ?? 'Error'} (exit code ${exitCode})`;
  return message === undefined || message === '' ? text : `${text}: ${message}`;
}

function judgeRest({ containers }: PodFact): PodEnd {
  const isOver = (role: ContainerRole): boolean =>
    containers
      .filter((container) => container.role === role)
      .every(({ state }) => state.kind === 'terminated');
  if (isOver('main') && isOver('wait')) return { phase: 'Succeeded' };
  if (isOver('main'))
    return { phase: 'Failed', message: 'pod failed: wait container did not complete successfully' };
  if (isOver('wait'))
    return { phase: 'Failed', message: 'pod failed: main container did not complete successfully' };
  return { phase: 'Failed', message: 'pod failed: neither main nor wait container completed successfully' };
}

/** What a pending pod waits for. */
export function pendingMessage({ containers, unschedulable }: PodFact): string | undefined {
  for (const { state } of containers) {
    if (state.kind !== 'waiting' || state.reason === undefined || state.reason === '') continue;
    return state.message === undefined || state.message === ''
      ? state.reason
      : `${state.reason}: ${state.message}`;
  }
  if (unschedulable === undefined) return undefined;
  return unschedulable === '' ? 'Unschedulable' : `Unschedulable: ${unschedulable}`;
}

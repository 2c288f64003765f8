import { unless } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { isTooLate, waitForObject } from '@turnsole/kube/runtime/wait';
import type { InjectionTarget } from '../../api/index.ts';
import { ContainerRuntimeError, InjectError, StatusCheckError } from '../../experiment/injection/errors.ts';
import type {
  Fault,
  FaultContext,
  Injection,
  Observed,
  PlanInput,
} from '../../experiment/injection/fault.ts';
import { nameOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import { chaosDuration, chaosInterval } from '../../experiment/injection/settings/common-tunables.ts';
import { choice, integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { isSameProcess, locateContainer } from '../../experiment/node/container-locator.ts';
import { containerStatus } from '../../experiment/targets/container-status.ts';
import { isReady } from '../../experiment/targets/health/judge-pods.ts';
import { POD_HELPER_RULES } from '../by-helper.ts';
import { observedContainer, runningContainer } from '../container-target.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(20, 'How long containers are killed.'),
  CHAOS_INTERVAL: chaosInterval(10, 'Time from one kill to the next.'),
  SIGNAL: choice(
    {
      choices: ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGUSR1', 'SIGUSR2'],
      default: 'SIGKILL',
    },
    'Signal for the first process of the container.',
  ),
  CONTAINER_API_TIMEOUT: integer(
    { default: -1, minimum: -1, maximum: 86_400, unit: 'seconds' },
    'Accepted and not needed: no container runtime is called.',
  ),
} as const satisfies TunableSchema;

/**
 * Kills the first process of a container from its node, round after round, and waits until the kubelet has restarted it.
 *
 * What is touched: one process per target. How it is undone: by the kubelet's restart; there is nothing to revert. What remains
 * if the helper dies: nothing. A signal other than SIGKILL only works when the process handles it or is not the init of its
 * own process namespace: the kernel's rule, not ours.
 */
const containerKill: Fault<typeof tunables> = {
  name: 'container-kill',
  summary: 'Kills a container of pods of an application, repeatedly, and checks that it is restarted.',
  tunables,
  targets: 'containers',
  shape: 'pulse',
  where: 'node',
  permissions: POD_HELPER_RULES,
  needs: { linux: true },
  // Enough to see the node's processes and to signal those of other users; no socket, not privileged.
  helper: { hostPID: true, securityContext: { runAsUser: 0, capabilities: { add: ['KILL'] } } },
  observe,
  plan,
  inject,
  revert: () => Promise.resolve(),
  settle,
};

export default containerKill;

async function observe(target: InjectionTarget, { client, signal }: FaultContext): Promise<Observed> {
  const pod = await client.get<Pod>(PODS, target.name, { namespace: target.namespace, signal });
  return {
    ...observedContainer(pod, target),
    restartPolicy: pod.spec?.restartPolicy ?? 'Always',
    restartCount: containerStatus(pod, target)?.restartCount ?? 0,
  };
}

function plan({ tunables: { SIGNAL }, targets }: PlanInput<typeof tunables>): readonly Injection[] {
  return targets.map((target) => {
    const { observed = {}, ...rest } = target;
    // Of another incarnation it says nothing.
    if (observed.uid === target.uid && observed.restartPolicy === 'Never') {
      throw new InjectError(
        `cannot kill ${nameOf(target)}: its restartPolicy is Never, so nothing would restart it`,
      );
    }
    const containerId = runningContainer('kill', target);
    return {
      id: `${target.namespace}.${target.name}.${target.container}`,
      target: rest,
      parameters: { signal: SIGNAL, containerId, restartCount: observed.restartCount },
    };
  });
}

async function inject({ parameters }: Injection): Promise<void> {
  const containerId = String(parameters.containerId);
  const process_ = await locateContainer(containerId);
  if (!(await isSameProcess(process_))) return;
  try {
    // Only names of the table above get here.
    process.kill(process_.pid, parameters.signal as NodeJS.Signals);
  } catch (cause) {
    // It ended by itself between looking and killing.
    if ((cause as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw new ContainerRuntimeError(
      `cannot send ${parameters.signal} to process ${process_.pid} of container ${containerId}`,
      { cause },
    );
  }
}

async function settle(injections: readonly Injection[], context: FaultContext): Promise<void> {
  await Promise.all(injections.map((injection) => awaitRestart(injection, context)));
}

async function awaitRestart({ target, parameters }: Injection, context: FaultContext): Promise<void> {
  const { client, signal, clock, recoveryTimeoutMs } = context;
  const before = { containerId: parameters.containerId, restartCount: Number(parameters.restartCount) };
  let seen: Pod | undefined;
  const look = (pod: Pod | undefined): boolean => {
    seen = pod;
    context.podsSeen?.one(target, pod);
    return pod === undefined || pod.metadata.uid !== target.uid || hasRestarted(pod, target, before);
  };
  const options = { namespace: target.namespace, timeoutMs: recoveryTimeoutMs, signal, clock };
  await unless(isTooLate, waitForObject<Pod>(client, PODS, target.name, look, options));
  if (seen !== undefined && seen.metadata.uid === target.uid && hasRestarted(seen, target, before)) return;
  const sent = String(parameters.signal);
  throw new StatusCheckError(restartProblem(seen, target, { ...before, sent }, recoveryTimeoutMs), {
    target: `{podName: ${target.name}, namespace: ${target.namespace}, container: ${target.container}}`,
  });
}

/** Whether the container was really restarted since, and every container of the pod is ready. Pure. */
export function hasRestarted(
  pod: Pod,
  target: Pick<InjectionTarget, 'container'>,
  before: { readonly containerId: unknown; readonly restartCount: number },
): boolean {
  const status = containerStatus(pod, target);
  return (
    status !== undefined &&
    status.restartCount > before.restartCount &&
    status.containerID !== before.containerId &&
    isReady(pod)
  );
}

/** Why a container that was killed is no new one, or not ready, in words. Pure. */
export function restartProblem(
  pod: Pod | undefined,
  target: InjectionTarget,
  {
    containerId,
    restartCount,
    sent,
  }: { readonly containerId: unknown; readonly restartCount: number; readonly sent: string },
  timeoutMs: number,
): string {
  const name = nameOf(target);
  if (pod === undefined || pod.metadata.uid !== target.uid) {
    return `${name} cannot be watched any more: the pod was deleted or replaced while chaos was running`;
  }
  const now = containerStatus(pod, target);
  if (now?.state?.running !== undefined && now.containerID === containerId) {
    return (
      `${name} is still the same container ${timeoutMs / 1000} s after ${sent}: its first process ignores the signal, or goes on after ` +
      'it; set SIGNAL to one that ends it, such as SIGKILL'
    );
  }
  const why = now?.state?.waiting?.reason;
  const found =
    (now?.restartCount ?? 0) > restartCount
      ? 'it was restarted but the pod is not ready'
      : `its restart count is still ${restartCount}`;
  return `${name} has not recovered after ${timeoutMs / 1000} s: ${found}${why === undefined ? '' : ` (${why})`}; look at its log, or raise STATUS_CHECK_TIMEOUT`;
}

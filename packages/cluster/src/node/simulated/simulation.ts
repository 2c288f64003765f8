import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { PodUsage, UsageSource } from '../../apiserver/metrics/usage.ts';
import type { PodRunner } from '../pod/runner.ts';
import type { WorkerContext } from '../pod/worker-context.ts';
import { SimulatedAddresses } from './addresses.ts';
import { annotatedPlan } from './annotations.ts';
import type { PodPlan, SimulationRule } from './plan.ts';
import { SimulatedPod, type SimulatedPodContext } from './pod.ts';
import { WriteQueue } from './write-queue.ts';

/** What a simulation follows from. */
interface SimulationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The first that gives something decides; after them the pod's annotations do. */
  readonly rules?: readonly SimulationRule[];
  /** The same seed gives pods of the same names the same times. @default '' */
  readonly seed?: string;
}

/** Simulates pods of all nodes of a cluster: what they share. */
export class Simulation implements SimulatedPodContext {
  readonly client: KubeClient;
  readonly addresses = new SimulatedAddresses();
  readonly writes: WriteQueue;
  readonly #rules: readonly SimulationRule[];
  readonly #seed: string;
  readonly #clock: Clock;

  constructor(options: SimulationOptions) {
    const { client, clock, rules = [], seed = '' } = options;
    this.client = client;
    this.#clock = clock;
    this.writes = new WriteQueue(clock);
    this.#rules = rules;
    this.#seed = seed;
  }

  /** The runner of a pod; undefined for one that is to be real processes. */
  runner(pod: Pod, context: WorkerContext): PodRunner | undefined {
    const plan = this.#planOf(pod, context);
    return plan === 'process' ? undefined : new SimulatedPod(pod, plan, this, context);
  }

  /** The usage of pods: of simulated ones by their rules and annotations, of real processes from the other source. */
  usageSource(real: UsageSource): UsageSource {
    const { windowMs } = real;
    return {
      windowMs,
      usageOf: async (pods) => {
        const said = pods.map((pod) => this.#usageOf(pod, windowMs));
        const processes = pods.filter((_, index) => said[index] === 'process');
        const measured = processes.length === 0 ? [] : await real.usageOf(processes);
        const byPod = new Map(processes.map((pod, index) => [pod, measured[index]]));
        return pods.map((pod, index) => {
          const usage = said[index];
          return usage === 'process' ? byPod.get(pod) : usage;
        });
      },
    };
  }

  /** As the pod is now: its annotations may have been changed since it was started. */
  #usageOf(pod: Pod, windowMs: number): PodUsage | 'process' | undefined {
    const plan = this.#ruledPlan(pod) ?? annotatedPlan(pod, this.#seed).plan;
    if (plan === 'process') return plan;
    return simulatedUsage(pod, plan, { atMs: this.#clock.now(), windowMs });
  }

  /** Begins no more writes. */
  close(): void {
    this.writes.close();
  }

  #ruledPlan(pod: Pod): PodPlan | 'process' | undefined {
    for (const rule of this.#rules) {
      const plan = rule(pod);
      if (plan !== undefined) return plan;
    }
    return undefined;
  }

  #planOf(pod: Pod, context: WorkerContext): PodPlan | 'process' {
    const ruled = this.#ruledPlan(pod);
    if (ruled !== undefined) return ruled;
    const { plan, problems } = annotatedPlan(pod, this.#seed);
    for (const message of problems) {
      context.event(pod, { type: 'Warning', reason: 'InvalidSimulation', message });
    }
    return plan;
  }
}

const NANOS_PER_MILLI = 1_000_000;

/** The figures that a plan gives the containers that run by the pod's status; undefined when none does. Pure. */
function simulatedUsage(
  pod: Pod,
  plan: PodPlan,
  window: Pick<PodUsage, 'atMs' | 'windowMs'>,
): PodUsage | undefined {
  const statuses = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ].filter(({ state }) => state?.running !== undefined);
  if (statuses.length === 0) return undefined;
  return {
    ...window,
    containers: statuses.map(({ name }) => {
      const { cpuMillis = 0, memoryBytes = 0 } = plan.containers?.[name] ?? plan;
      return { name, cpuNanoCores: cpuMillis * NANOS_PER_MILLI, memoryBytes };
    }),
  };
}

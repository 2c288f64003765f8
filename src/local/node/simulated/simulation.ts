import type { Pod } from '../../../api/core.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { Clock } from '../../../kube/runtime/clock.ts';
import type { PodRunner } from '../pod/runner.ts';
import type { WorkerContext } from '../pod/worker-context.ts';
import { SimulatedAddresses } from './addresses.ts';
import { annotatedPlan } from './annotations.ts';
import { realComponents } from './components.ts';
import type { PodPlan, SimulationRule } from './plan.ts';
import { SimulatedPod, type SimulatedPodContext } from './pod.ts';
import { WriteQueue } from './write-queue.ts';

/** What a simulation follows from. */
export interface SimulationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The first that gives something decides; after them the pod's annotations do. */
  readonly rules?: readonly SimulationRule[];
  /** The same seed gives pods of the same names the same times. @default '' */
  readonly seed?: string;
  /** Whether pods of Turnsole's components really run unless a rule says otherwise. @default true */
  readonly realComponents?: boolean;
}

/** Simulates pods of all nodes of a cluster: what they share. */
export class Simulation implements SimulatedPodContext {
  readonly client: KubeClient;
  readonly addresses = new SimulatedAddresses();
  readonly writes: WriteQueue;
  readonly #rules: readonly SimulationRule[];
  readonly #seed: string;

  constructor(options: SimulationOptions) {
    const { client, clock, rules = [], seed = '' } = options;
    this.client = client;
    this.writes = new WriteQueue(clock);
    this.#rules = options.realComponents === false ? rules : [...rules, realComponents];
    this.#seed = seed;
  }

  /** The runner of a pod; undefined for one that is to be real processes. */
  runner(pod: Pod, context: WorkerContext): PodRunner | undefined {
    const plan = this.#planOf(pod, context);
    return plan === 'process' ? undefined : new SimulatedPod(pod, plan, this, context);
  }

  /** Begins no more writes. */
  close(): void {
    this.writes.close();
  }

  #planOf(pod: Pod, context: WorkerContext): PodPlan | 'process' {
    for (const rule of this.#rules) {
      const plan = rule(pod);
      if (plan !== undefined) return plan;
    }
    const { plan, problems } = annotatedPlan(pod, this.#seed);
    for (const message of problems) {
      context.event(pod, { type: 'Warning', reason: 'InvalidSimulation', message });
    }
    return plan;
  }
}

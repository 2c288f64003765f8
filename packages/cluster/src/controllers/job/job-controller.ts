import { isNotFound } from '@turnsole/kube/client/errors';
import type { JsonPatchOperation } from '@turnsole/kube/client/types';
import { claim } from '@turnsole/kube/controllers/claim';
import { ControllerBase, type StepOutcome, untilSettled } from '@turnsole/kube/controllers/controller';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import { fromDependents } from '@turnsole/kube/controllers/sources';
import { type Job, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import {
  controllerOf,
  fromMapped,
  fromObjects,
  type ReconcileRequest,
  type ReconcileResult,
  refersTo,
} from '@turnsole/kube/runtime/index';
import type { ClusterContext } from '../shared/cluster-context.ts';
import { PodControl } from '../shared/pod-control.ts';
import { type FailureStreak, NO_FAILURES } from './backoff.ts';
import { decideJob, type JobStep } from './decide-job.ts';
import { INDEX_FAILURES } from './index-failures.ts';
import { terminalCondition } from './job-conditions.ts';
import { isTracked, jobLabels, newJobPod, TRACKING_FINALIZER } from './job-pods.ts';

/** Runs the pods of each job until enough have succeeded or too many failed. */
export class JobController extends ControllerBase<ClusterContext> {
  readonly name = 'job';
  readonly #jobs = this.context.informers.view<Job>(JOBS);
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #podControl = new PodControl(this.context, JOBS, 'job-controller');
  readonly #events = this.context.eventsOf('job-controller');
  readonly #streaks = new Map<string, FailureStreak>();
  readonly sources = [
    fromObjects(this.#jobs.informer),
    fromDependents(this.#pods, this.#jobs, JOBS),
    // A tracked pod is its own key as well, so that it is let go when its job is not there.
    fromMapped(this.#pods.informer, (pod) => (isStray(pod) ? [podKey(pod)] : [])),
  ];

  async reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (key.startsWith(POD_KEY_PREFIX)) {
      await this.#releaseOrphan(this.#pods.get(key.slice(POD_KEY_PREFIX.length)), signal);
      return undefined;
    }
    return untilSettled(() => this.#step(key, signal));
  }

  async #step(key: string, signal: AbortSignal): Promise<StepOutcome | undefined> {
    const job = this.#jobs.get(key);
    if (job === undefined) {
      this.#streaks.delete(key);
      await this.#releaseLeft(key, signal);
      return undefined;
    }
    if (isManagedElsewhere(job)) return undefined;
    const step = await this.#decide(job, signal);
    if (terminalCondition(job) !== undefined) this.#streaks.delete(key);
    return { changed: await this.#apply(job, step, signal), requeueAfterMs: step.requeueAfterMs };
  }

  async #decide(job: Job, signal: AbortSignal): Promise<JobStep> {
    const { clock, options } = this.context;
    const selector = job.spec?.selector ?? { matchLabels: selectorOf(job) };
    const request = { owner: job, ownerResource: JOBS, selector, resource: PODS };
    return decideJob({
      job,
      pods: await claim<Pod>(this.context, request, signal),
      streak: this.#streaks.get(objectKey(job)) ?? NO_FAILURES,
      backoff: { baseMs: options.jobBackoffMs, maxMs: options.jobMaxBackoffMs },
      nowMs: clock.now(),
    });
  }

  /** Whether it changed something. */
  async #apply(job: Job, step: JobStep, signal: AbortSignal): Promise<boolean> {
    const { writer } = this.context;
    if (step.deleteUncounted) await this.#release(step.delete, signal);
    await this.#podControl.delete(job, step.delete, signal);
    const made = step.create.map((index) => newJobPod(job, index, notedFailures(step, index)));
    const { failure } = await this.#podControl.create(job, made, signal);
    if (failure !== undefined) throw failure.error;
    const isWritten =
      step.status !== undefined && (await writer.setStatus<Job>(JOBS, job, step.status, signal));
    if (isWritten) {
      this.#streaks.set(objectKey(job), step.streak);
      for (const note of step.events) this.#events.record(JOBS, job, note);
    }
    await this.#release(step.release, signal);
    if (step.expire) await writer.delete(JOBS, job, signal, { propagationPolicy: 'Foreground' });
    return isWritten || [step.delete, step.create, step.release].some(({ length }) => length > 0);
  }

  /** Takes the tracking finalizer from pods; one that is gone needs none taken. */
  async #release(tracked: readonly Pod[], signal: AbortSignal): Promise<void> {
    await Promise.all(
      tracked.filter(isTracked).map(async (pod) => {
        try {
          await this.context.writer.patch<Pod>(PODS, pod, 'json', withoutTracking(pod), signal);
        } catch (error) {
          if (!isNotFound(error)) throw error;
          this.#pods.removed(pod);
        }
      }),
    );
  }

  /**
   * Lets go what a job that is gone has left. A pod that was going before its job shows no change when the garbage collector deletes
   * it as well.
   */
  async #releaseLeft(key: string, signal: AbortSignal): Promise<void> {
    const slash = key.indexOf('/');
    const name = key.slice(slash + 1);
    const left = this.#pods.byIndex(BY_NAMESPACE, key.slice(0, slash)).filter((pod) => {
      const owner = controllerOf(pod);
      return isTracked(pod) && refersTo(owner, JOBS) && owner?.name === name;
    });
    await this.#release(left, signal);
  }

  /** Pods whose job is gone need not be counted. */
  async #releaseOrphan(pod: Pod | undefined, signal: AbortSignal): Promise<void> {
    if (pod === undefined) return;
    const reference = controllerOf(pod);
    const job = this.#jobs.get(`${pod.metadata.namespace}/${reference?.name}`);
    if (reference !== undefined && job?.metadata.uid === reference.uid) return;
    await this.#release([pod], signal);
  }
}

/** A pod of an index with a limit of its own says how often that has failed before. */
function notedFailures({ indexFailures }: JobStep, index: number | undefined): Record<string, string> {
  if (indexFailures === undefined || index === undefined) return {};
  return { [INDEX_FAILURES]: String(indexFailures.get(index) ?? 0) };
}

function isStray(pod: Pod): boolean {
  if (!isTracked(pod)) return false;
  // When the owner was deleted, the garbage collector deletes the pod as well, and that shows it.
  return !refersTo(controllerOf(pod), JOBS) || pod.metadata.deletionTimestamp !== undefined;
}

/** Tests the finalizer and not the version of the pod, whose status the node agent may be writing at this moment. */
function withoutTracking(pod: Pod): JsonPatchOperation[] {
  const path = `/metadata/finalizers/${pod.metadata.finalizers?.indexOf(TRACKING_FINALIZER)}`;
  return [
    { op: 'test', path, value: TRACKING_FINALIZER },
    { op: 'remove', path },
  ];
}

const POD_KEY_PREFIX = 'pod:';

function podKey(pod: Pod): string {
  return `${POD_KEY_PREFIX}${objectKey(pod)}`;
}

function selectorOf(job: Job): Record<string, string> {
  const uid = 'batch.kubernetes.io/controller-uid';
  return { [uid]: jobLabels(job)[uid] ?? '' };
}

/** Whether another controller has been asked to run the job. */
function isManagedElsewhere(job: Job): boolean {
  const { managedBy } = job.spec ?? {};
  return managedBy !== undefined && managedBy !== 'kubernetes.io/job-controller';
}

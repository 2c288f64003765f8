import { type Job, objectKey, type Pod } from '../../../api/core.ts';
import { JOBS, PODS } from '../../../api/resources.ts';
import { isNotFound } from '../../../kube/client/errors.ts';
import type { JsonPatchOperation } from '../../../kube/client/types.ts';
import { type Controller, controllerOf, fromMapped, fromObjects } from '../../../kube/runtime/index.ts';
import { claim } from '../shared/claim.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { refersTo } from '../shared/owners.ts';
import { PodControl } from '../shared/pod-control.ts';
import { fromDependents } from '../shared/sources.ts';
import { type FailureStreak, NO_FAILURES } from './backoff.ts';
import { decideJob, type JobStep } from './decide-job.ts';
import { terminalCondition } from './job-conditions.ts';
import { isTracked, jobLabels, newJobPod, TRACKING_FINALIZER } from './job-pods.ts';

/** Decisions per pass; what is left then is done in the next. */
const MAX_STEPS = 8;

/** Runs the pods of each job until enough have succeeded or too many failed. */
export function jobController(context: ControllerContext): Controller {
  const { informers, writer, clock, options } = context;
  const jobs = informers.view<Job>(JOBS);
  const pods = informers.view<Pod>(PODS);
  const podControl = new PodControl(context, JOBS, 'job-controller');
  const events = context.eventsOf('job-controller');
  const backoff = { baseMs: options.jobBackoffMs, maxMs: options.jobMaxBackoffMs };
  const streaks = new Map<string, FailureStreak>();

  async function apply(job: Job, step: JobStep, signal: AbortSignal): Promise<'changed' | 'settled'> {
    let changed = false;
    if (step.delete.length > 0) {
      if (step.deleteUncounted) await release(step.delete, signal);
      await podControl.delete(job, step.delete, signal);
      changed = true;
    }
    if (step.create.length > 0) {
      const made = step.create.map((index) => newJobPod(job, index));
      const { failure } = await podControl.create(job, made, signal);
      if (failure !== undefined) throw failure.error;
      changed = true;
    }
    if (step.status !== undefined && !equalJson(step.status, job.status)) {
      await writer.updateStatus<Job>(JOBS, { ...job, status: step.status }, signal);
      streaks.set(objectKey(job), step.streak);
      for (const note of step.events) events.record(JOBS, job, note);
      changed = true;
    }
    if (step.release.length > 0) {
      await release(step.release, signal);
      changed = true;
    }
    if (step.expire) await writer.delete(JOBS, job, signal, { propagationPolicy: 'Foreground' });
    return changed ? 'changed' : 'settled';
  }

  /** Takes the tracking finalizer from pods; one that is gone needs none taken. */
  async function release(tracked: readonly Pod[], signal: AbortSignal): Promise<void> {
    await Promise.all(
      tracked.filter(isTracked).map(async (pod) => {
        try {
          await writer.patch<Pod>(PODS, pod, 'json', withoutFinalizer(pod), signal);
        } catch (error) {
          if (!isNotFound(error)) throw error;
          pods.removed(pod);
        }
      }),
    );
  }

  async function reconcileJob(
    job: Job,
    signal: AbortSignal,
  ): Promise<{ done: boolean; requeueAfterMs?: number }> {
    const selector = job.spec?.selector ?? { matchLabels: selectorOf(job) };
    const request = { owner: job, ownerResource: JOBS, selector, resource: PODS };
    const key = objectKey(job);
    const step = decideJob({
      job,
      pods: await claim<Pod>(context, request, signal),
      streak: streaks.get(key) ?? NO_FAILURES,
      backoff,
      nowMs: clock.now(),
    });
    if (terminalCondition(job) !== undefined) streaks.delete(key);
    const done = (await apply(job, step, signal)) === 'settled';
    return { done, ...(step.requeueAfterMs === undefined ? {} : { requeueAfterMs: step.requeueAfterMs }) };
  }

  /** Pods whose job is gone wait for nobody to count them. */
  async function releaseOrphan(pod: Pod, signal: AbortSignal): Promise<void> {
    const reference = controllerOf(pod);
    const job = jobs.get(`${pod.metadata.namespace}/${reference?.name}`);
    if (reference !== undefined && job?.metadata.uid === reference.uid) return;
    await release([pod], signal);
  }

  return createController(context, {
    name: 'job',
    sources: [
      fromObjects(jobs.informer),
      fromDependents(pods, jobs, JOBS),
      // A tracked pod is its own key as well, so that it is let go when its job is not there.
      fromMapped(pods.informer, (pod) => (isStray(pod) ? [podKey(pod)] : [])),
    ],
    reconcile: async ({ key }, signal) => {
      if (key.startsWith(POD_KEY_PREFIX)) {
        const pod = pods.get(key.slice(POD_KEY_PREFIX.length));
        if (pod !== undefined && isTracked(pod)) await releaseOrphan(pod, signal);
        return undefined;
      }
      for (let step = 0; ; step++) {
        const job = jobs.get(key);
        if (job === undefined) {
          streaks.delete(key);
          return undefined;
        }
        if (isManagedElsewhere(job)) return undefined;
        const { done, requeueAfterMs } = await reconcileJob(job, signal);
        if (done) return { requeueAfterMs };
        if (step >= MAX_STEPS) return { requeueAfterMs: 0 };
      }
    },
  });

  function isStray(pod: Pod): boolean {
    if (!isTracked(pod)) return false;
    const reference = controllerOf(pod);
    if (!refersTo(reference, JOBS)) return true;
    // Deletion of the owner is told by the pod's own deletion, which the garbage collector brings about.
    return pod.metadata.deletionTimestamp !== undefined;
  }
}

/** Tests the finalizer and not the version of the pod, whose status the node agent may be writing at this moment. */
function withoutFinalizer(pod: Pod): JsonPatchOperation[] {
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

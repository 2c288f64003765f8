import { type ApplyContext, applyManifests } from '../../services/manifests/apply.ts';
import { checkFiles, refuseChecked, surroundings } from '../../services/plan/check-files.ts';
import { planInnerEngines } from '../../services/plan/inner-engines.ts';
import { refuseObstacles } from '../../services/plan/obstacles.ts';
import { planEngines, refuseProblems } from '../../services/plan/preflight.ts';
import { refuseUnchecked, uncheckedWarnings } from '../../services/plan/unchecked.ts';
import { doubtsOf, doubtText, unreadOf, wholeWorkloads } from '../../services/plan/warnings.ts';
import { awaitWorkloads } from '../../services/run/await-workloads.ts';
import { bringImages } from '../../services/run/bring-images.ts';
import type { Progress } from '../../services/run/progress.ts';
import { clusterLibrary } from '../../services/workflows/cluster-library.ts';
import { planWorkflow, type WorkflowPlan } from '../../services/workflows/inside/workflow-plan.ts';
import { libraryOf } from '../../services/workflows/template-library.ts';
import type { ClusterSession } from '../session/open-cluster.ts';
import type { RunInput } from './refuse-before.ts';
import { refuseWorkflows } from './refuse-workflows.ts';

/** How a run is prepared. */
export interface PrepareOptions {
  readonly requireChecks: boolean;
  readonly readyTimeoutMs: number;
}

/** What is known of manifests before anything of them is applied. */
type Manifests = Pick<RunInput, 'planned' | 'workflows' | 'others'>;

/** How manifests are judged. */
interface ForeseeOptions extends Pick<PrepareOptions, 'requireChecks'> {
  readonly progress: Pick<Progress, 'step'>;
  readonly signal: AbortSignal;
}

/**
 * Judges manifests on the cluster that they are to run on, and brings their images. Nothing is applied.
 *
 * @returns the workflows, with the engines that they make
 * @throws BadInputError with every problem · CommandError when the machine does not allow the run (MACHINE_UNFIT, IMAGES_MISSING)
 */
export async function foresee(
  { planned: engines, workflows, others }: Manifests,
  { client, namespace, embedded }: Pick<ClusterSession, 'client' | 'namespace' | 'embedded'>,
  { requireChecks, progress, signal }: ForeseeOptions,
): Promise<WorkflowPlan[]> {
  const library = await clusterLibrary({ client, namespace, signal });
  refuseWorkflows([...workflows, ...others], library);
  const known = libraryOf(
    others.map(({ object }) => object),
    library,
  );
  const inside = workflows.map((manifest) => planWorkflow(manifest, { namespace, library: known }));
  if (requireChecks) refuseUnchecked(inside.flatMap((plan) => plan.engines));
  await refuseObstacles(
    [...engines, ...inside.flatMap((plan) => plan.engines)],
    [...others, ...inside.flatMap((plan) => plan.others)],
    { client, namespace, signal, embedded },
  );
  if (embedded !== undefined) await bringImages(others, { embedded, progress, signal });
  return inside;
}

/**
 * Everything up to the first engine or workflow: objects applied, workloads ready, engines checked against the cluster.
 *
 * @throws BadInputError with every problem · CommandError when the machine or a workload does not allow the run
 */
export async function prepare(
  manifests: Manifests,
  apply: ApplyContext,
  session: ClusterSession,
  { requireChecks, readyTimeoutMs }: PrepareOptions,
  progress: Progress,
): Promise<void> {
  const { planned: engines, others } = manifests;
  const { client, namespace, signal } = apply;
  const { embedded, connectWithToken } = session;
  if (embedded === undefined) {
    refuseChecked(await checkFiles(engines, others, { namespace, cluster: surroundings(client, signal) }));
  }
  const inside = await foresee(manifests, session, { requireChecks, progress, signal });
  const applied = await applyManifests(others, apply);
  if (applied.length > 0) progress.step(`applied ${applied.length} objects`);
  await awaitWorkloads(applied, {
    client,
    timeoutMs: readyTimeoutMs,
    signal,
    patient: embedded === undefined,
    ...(embedded !== undefined && { isIsolated: embedded.lacks.isolation === undefined }),
    onReady: (workload, state) => progress.step(`${workload} is ready (${state})`),
  });
  const looked = { client, namespace, signal, embedded, connectWithToken };
  const plans = await planEngines(engines, looked);
  refuseProblems(plans);
  const ofWorkflows = await planInnerEngines(inside, looked);
  refuseProblems(ofWorkflows);
  const doubts = [
    ...inside.flatMap(({ warnings }) => warnings),
    ...ofWorkflows.flatMap((plan) => (plan.doubts ?? []).map(doubtText)),
    ...[...plans, ...ofWorkflows].flatMap((plan) => [
      ...doubtsOf(plan.plans),
      ...unreadOf(plan.plans),
      ...uncheckedWarnings(plan.manifest),
      ...wholeWorkloads(plan.plans),
    ]),
  ];
  for (const doubt of new Set(doubts)) progress.step(`warning: ${doubt}`);
}

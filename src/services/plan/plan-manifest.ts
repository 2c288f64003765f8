import type { ConnectWithToken } from '../../experiment/plan/access-asker.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { NO_TEMPLATES } from '../../workflows/validation/library.ts';
import { BadInputError } from '../errors.ts';
import { type ReadManifests, readManifestText } from '../manifests/read.ts';
import { clusterLibrary } from '../workflows/cluster-library.ts';
import { planInnerEngines } from './inner-engines.ts';
import { type PlanSummary, planSummary, summaryOfProblems } from './plan-summary.ts';
import { planEngines } from './preflight.ts';
import { planWorkflows } from './workflow-plans.ts';

/** Where a manifest is planned. */
interface PlanManifestOptions {
  readonly client: KubeClient;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  /** Lets permissions be asked for as an engine's own account. */
  readonly connectWithToken?: ConnectWithToken;
  readonly signal: AbortSignal;
}

const NOT_HEARD = { step: () => {} };

/**
 * What a run of a manifest would hit in a cluster as it is now, and what speaks against it. Writes nothing. Objects that the client may
 * not read are named and left out.
 *
 * @throws ApiError, ConnectionError when the cluster does not answer · the signal's reason
 */
export async function planManifest(text: string, options: PlanManifestOptions): Promise<PlanSummary> {
  const { client, namespace, signal, connectWithToken } = options;
  let found: ReadManifests;
  try {
    found = readManifestText('manifest', text, NOT_HEARD, { mode: 'next', nowMs: systemClock.now() });
  } catch (error) {
    if (error instanceof BadInputError) return summaryOfProblems(error.problems);
    throw error;
  }
  const { engines, workflows, others } = found;
  const library = workflows.length === 0 ? NO_TEMPLATES : await clusterLibrary({ client, namespace, signal });
  const inside = planWorkflows(workflows, { others, namespace, library });
  const looked = {
    ...{ client, namespace, others, signal, withImpact: true },
    ...(connectWithToken !== undefined && { connectWithToken }),
  };
  const [plans, ofWorkflows] = await Promise.all([
    planEngines(engines, looked),
    planInnerEngines(inside, looked),
  ]);
  return planSummary([...plans, ...ofWorkflows], inside);
}

import { systemClock } from '@turnsole/kube/base/clock';
import { BadInputError } from '../errors.ts';
import { type ReadManifests, readManifestText } from '../manifests/read.ts';
import { planFound } from './plan-found.ts';
import { type PlanSummary, planSummary, summaryOfProblems } from './plan-summary.ts';
import type { PreflightOptions } from './preflight-options.ts';

/** Where a manifest is planned. */
type PlanManifestOptions = Pick<PreflightOptions, 'client' | 'namespace' | 'connectWithToken' | 'signal'>;

/**
 * What a run of a manifest would hit in a cluster as it is now, and what speaks against it. Writes nothing. Objects that the client may
 * not read are named and left out.
 *
 * @throws ApiError, ConnectionError when the cluster does not answer · the signal's reason
 */
export async function planManifest(text: string, options: PlanManifestOptions): Promise<PlanSummary> {
  let found: ReadManifests;
  try {
    found = readManifestText('manifest', text, {
      mode: 'next',
      nowMs: systemClock.now(),
      allowsStopped: true,
    });
  } catch (error) {
    if (error instanceof BadInputError) return summaryOfProblems(error.problems);
    throw error;
  }
  const { plans, inside } = await planFound(found, options);
  return planSummary(plans, inside, found.warnings);
}

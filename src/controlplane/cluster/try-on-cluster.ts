import type { Clock } from '@turnsole/kube/base/clock';
import { TRIED_BY_DEFAULT } from '../../api/probe-types/index.ts';
import { Refusal } from '../access/refusal.ts';
import { entryOfRequest } from '../probe/probe-request.ts';
import type { ProbeRequest, ProbeTrial } from '../schema/generated/types.ts';
import type { ObservedCluster } from './observed-cluster.ts';

/** No commands: they are written for the pod of a run, and this server runs on a user's machine. */
const TYPES = new Set(TRIED_BY_DEFAULT);
const ADVICE = 'a command is run in the pod of a run, and not on the machine of this server';

/** Measures a probe once, from this server. @throws Refusal for a probe that cannot be tried here */
export async function tryOnCluster(
  { client }: ObservedCluster,
  request: ProbeRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<ProbeTrial> {
  const { TrialRefusedError, tryProbe } = await import('../../experiment/probes/try-probe.ts');
  try {
    return await tryProbe(entryOfRequest(request), { client, clock, signal, types: TYPES, advice: ADVICE });
  } catch (error) {
    if (!(error instanceof TrialRefusedError)) throw error;
    throw new Refusal('invalid', error.message, { cause: error });
  }
}

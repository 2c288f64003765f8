import { Limiter } from '@turnsole/kube/base/limiter';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { OwnRequest } from './own-requests.ts';

/**
 * Plans the manifest of an experiment, with the rights of the client; objects that name no namespace are in the given one. Writes nothing.
 */
export type PlanManifest = (
  manifest: string,
  options: { readonly client: KubeClient; readonly namespace: string; readonly signal: AbortSignal },
) => Promise<object>;

/** What planning needs. */
interface PlanContext {
  readonly client: KubeClient;
  /** Namespace of the infrastructure. */
  readonly namespace: string;
  readonly planManifest: PlanManifest;
  /** How long one may take. @default 20 seconds: the server gives up a little later */
  readonly limitMs?: number;
}

const LIMIT_MS = 20_000;
/** Each lists the surroundings of its targets. */
const AT_A_TIME = 2;
const MOST_WAITING = 8;
const BUSY = 'the agent plans other manifests already; try again in a moment';
/** More than any experiment that a server would store. */
const MOST_CHARACTERS = 2 * 1024 * 1024;

/** Answers what a run of `{"manifest": text}` would do, as `turnsole plan` finds it. */
export function planRequest({
  client,
  namespace,
  planManifest,
  limitMs = LIMIT_MS,
}: PlanContext): OwnRequest {
  const limiter = new Limiter(AT_A_TIME, { most: MOST_WAITING, refusal: () => new Error(BUSY) });
  return ({ manifest }, signal) => {
    if (typeof manifest !== 'string') throw new Error('externalData holds no manifest');
    if (manifest.length > MOST_CHARACTERS) throw new Error('the manifest is too long to be planned');
    return limiter.run(async () => {
      const late = AbortSignal.timeout(limitMs);
      try {
        return await planManifest(manifest, {
          client,
          namespace,
          signal: AbortSignal.any([signal, late]),
        });
      } catch (error) {
        if (!late.aborted) throw error;
        throw new Error(`the plan took longer than ${limitMs / 1000} s; the cluster may answer slowly`, {
          cause: error,
        });
      }
    });
  };
}

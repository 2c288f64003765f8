import { messageOf } from '@turnsole/kube/text/error-message';
import { CommandError } from '../../services/errors.ts';
import type { Progress } from '../../services/run/progress.ts';
import { type ClusterOptions, type ClusterSession, isIsolationOpen } from '../session/open-cluster.ts';
import { foresee } from './prepare.ts';
import type { RunInput } from './refuse-before.ts';

/** Refusals that isolated pods may do away with: of faults that act on the inside of pods, and of images that are no commands. */
const OF_PODS_NOT_ISOLATED: readonly string[] = ['MACHINE_UNFIT', 'IMAGES_MISSING'];

/** How a cluster is opened, and who is told what. */
interface FittingOptions {
  /** Opens it, with these options. */
  readonly open: (options: ClusterOptions) => Promise<ClusterSession>;
  readonly progress: Pick<Progress, 'step'>;
  readonly signal: AbortSignal;
}

/**
 * Opens a cluster on which manifests can be run. Pods of an ordinary user's cluster share the machine's network, as its users expect of
 * `auto`, unless the manifests then cannot be run: these get pods that are isolated, where this user may make namespaces.
 *
 * @throws what `open` throws · the signal's reason
 */
export async function openFitting(
  manifests: Pick<RunInput, 'planned' | 'workflows' | 'others'>,
  options: ClusterOptions,
  { open, progress, signal }: FittingOptions,
): Promise<ClusterSession> {
  const session = await open(options);
  if (!isIsolationOpen(options)) return session;
  if (!(await lacksIsolation(manifests, session, signal))) return session;
  await session.close({ graceMs: 0 });
  try {
    const isolated = await open({ ...options, isolation: 'full' });
    progress.step('pods are isolated, as these faults or images need it (--isolation none: never)');
    return isolated;
  } catch (error) {
    signal.throwIfAborted();
    progress.step(`warning: ${messageOf(error)}`);
    return open(options);
  }
}

/** Whether manifests are refused for what isolated pods may have. Other problems are told by who runs them. */
async function lacksIsolation(
  manifests: Pick<RunInput, 'planned' | 'workflows' | 'others'>,
  session: ClusterSession,
  signal: AbortSignal,
): Promise<boolean> {
  const silent = { step: () => {} };
  try {
    await foresee(manifests, session, { requireChecks: false, progress: silent, signal });
    return false;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof CommandError && OF_PODS_NOT_ISOLATED.includes(error.code);
  }
}

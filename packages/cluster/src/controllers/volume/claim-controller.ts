import { KindController } from '@turnsole/kube/controllers/controller';
import { PERSISTENT_VOLUME_CLAIMS } from '@turnsole/kube/kinds/resources';
import { fromObjects } from '@turnsole/kube/runtime/index';
import type { PersistentVolumeClaim } from '../shared/types.ts';

/** The write that binds a claim; `undefined` when it is bound or being deleted. */
function decideBinding(claim: PersistentVolumeClaim): PersistentVolumeClaim | undefined {
  if (claim.metadata.deletionTimestamp !== undefined || claim.status?.phase === 'Bound') return undefined;
  const { accessModes = ['ReadWriteOnce'], resources, volumeName } = claim.spec ?? {};
  return {
    ...claim,
    spec: { ...claim.spec, volumeName: volumeName ?? `pvc-${claim.metadata.uid}` },
    status: { phase: 'Bound', accessModes, capacity: { ...resources?.requests } },
  };
}

/**
 * Marks persistent volume claims as bound: the node agent makes a directory for each claim when a pod first uses it, so
 * nothing has to be waited for and no PersistentVolume object is needed.
 */
export class ClaimController extends KindController<PersistentVolumeClaim> {
  readonly name = 'volume-claim';
  readonly objects = this.context.informers.view<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
  readonly sources = [fromObjects(this.objects.informer)];

  async step(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<undefined> {
    const { writer } = this.context;
    const bound = decideBinding(claim);
    if (bound === undefined) return;
    const { status, ...rest } = bound;
    const named =
      claim.spec?.volumeName === undefined
        ? await writer.update<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, rest, signal)
        : claim;
    await writer.updateStatus<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, { ...named, status }, signal);
  }
}

import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/resources.ts';
import { type Controller, fromObjects } from '../../../kube/runtime/index.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import type { PersistentVolumeClaim } from '../shared/types.ts';

/** What has to be written to bind a claim; `undefined` when it is bound or going. */
export function decideBinding(claim: PersistentVolumeClaim): PersistentVolumeClaim | undefined {
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
 * there is nothing to wait for and no PersistentVolume object.
 */
export function claimController(context: ControllerContext): Controller {
  const { informers, writer } = context;
  const claims = informers.view<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
  return createController(context, {
    name: 'volume-claim',
    sources: [fromObjects(claims.informer)],
    reconcile: async ({ key }, signal) => {
      const claim = claims.get(key);
      const bound = claim === undefined ? undefined : decideBinding(claim);
      if (claim === undefined || bound === undefined) return;
      const { status, ...rest } = bound;
      const named =
        claim.spec?.volumeName === undefined
          ? await writer.update<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, rest, signal)
          : claim;
      const written = { ...named, ...(status === undefined ? {} : { status }) };
      await writer.updateStatus<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, written, signal);
    },
  });
}

import type { ResourceRequest } from '../../handlers/request.ts';
import type { Json } from '../../object.ts';
import type { AdmissionAttempt, WriteContext } from '../../registry/environment.ts';

/** The options of a write as webhooks see them. Pure. */
export function optionsOf(
  { info, query }: ResourceRequest,
  operation: AdmissionAttempt['operation'],
  context: WriteContext,
): Json {
  const own = { create: 'CreateOptions', update: 'UpdateOptions', delete: 'DeleteOptions' }[operation];
  const kind = info.verb === 'patch' ? 'PatchOptions' : own;
  const isForced = context.isApply === true && query.get('force') === 'true';
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(context.dryRun ? { dryRun: ['All'] } : {}),
    ...(operation === 'delete' || context.fieldManager === '' ? {} : { fieldManager: context.fieldManager }),
    ...(isForced ? { force: true } : {}),
  };
}

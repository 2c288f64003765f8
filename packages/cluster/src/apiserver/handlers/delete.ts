import { carryOut } from '../admission/webhooks/carry-out.ts';
import { type ApiReply, valueReply } from '../http/exchange.ts';
import { deleting } from '../registry/delete.ts';
import { namespaceOf, type ResourceRequest, writeContext } from '../request/request.ts';
import { readDeleteOptions } from './delete-options.ts';
import { writtenReply } from './written-reply.ts';

export async function handleDelete(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info } = request;
  const { definition } = kind;
  const { options, dryRuns } = await readDeleteOptions(request);
  const context = writeContext(request, dryRuns);
  const deleted = await carryOut(request, () =>
    deleting(env, definition, namespaceOf(request), info.name, options, context),
  );
  if (!deleted.gone || definition.returnsDeleted) {
    return writtenReply(request, { object: deleted.object, created: false });
  }
  return valueReply(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: info.name,
      ...(definition.group === '' ? {} : { group: definition.group }),
      kind: definition.plural,
      uid: deleted.object.metadata.uid,
    },
  });
}

import { carryOut } from '../admission/webhooks/carry-out.ts';
import type { ApiReply } from '../http/exchange.ts';
import { StatusError } from '../http/status.ts';
import { creating } from '../registry/create.ts';
import { readObject } from '../request/admit-body.ts';
import { namespaceOf, type ResourceRequest, writeContext } from '../request/request.ts';
import { writtenReply } from './written-reply.ts';

export async function handleCreate(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind } = request;
  const context = writeContext(request);
  const written = await carryOut(request, async () => {
    const object = await readObject(request);
    const { metadata } = object;
    // The real server finds this out in its storage, and answers 500 without a reason.
    if ((metadata.resourceVersion ?? '') !== '')
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    if (kind.definition.kind === 'Namespace' && kind.definition.group === '') delete metadata.namespace;
    return creating(env, kind, namespaceOf(request), object, context);
  });
  return writtenReply(request, written);
}

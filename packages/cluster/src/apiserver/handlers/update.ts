import { carryOut } from '../admission/webhooks/carry-out.ts';
import type { ApiReply } from '../http/exchange.ts';
import { updating } from '../registry/update.ts';
import { readObject } from '../request/admit-body.ts';
import { type ResourceRequest, targetOf, writeContext } from '../request/request.ts';
import { writtenReply } from './written-reply.ts';

export async function handleUpdate(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info } = request;
  const { definition } = kind;
  const context = writeContext(request);
  const written = await carryOut(request, async () => {
    const object = await readObject(request);
    return updating(env, {
      ...targetOf(request),
      produce: () => object,
      produceMissing: () => (definition.createsOnUpdate && info.subresource === '' ? object : undefined),
      context,
    });
  });
  return writtenReply(request, written);
}

/** namespaces/finalize: removes finalizers from a namespace's spec; without the last one the namespace is deleted. */
import { carryOut } from '../admission/webhooks/carry-out.ts';
import { writtenReply } from '../handlers/written-reply.ts';
import type { ApiReply } from '../http/exchange.ts';
import { methodNotAllowed } from '../http/status.ts';
import { type ApiObject, asJson } from '../object.ts';
import { updating } from '../registry/update.ts';
import { readObject } from '../request/admit-body.ts';
import { type ResourceRequest, targetOf, writeContext } from '../request/request.ts';

export async function handleFinalize(request: ResourceRequest): Promise<ApiReply> {
  const { env, info } = request;
  if (info.verb !== 'update') throw methodNotAllowed();
  const context = writeContext(request);
  const written = await carryOut(request, async () => {
    const given = await readObject(request);
    return updating(env, {
      ...targetOf(request),
      produce: (current) => withFinalizersOf(given, current),
      context,
    });
  });
  return writtenReply(request, written);
}

/** The present namespace under the identity that was given, so that a stale one is refused, with the finalizers given. */
function withFinalizersOf({ metadata, spec }: ApiObject, current: ApiObject): ApiObject {
  const { finalizers } = asJson(spec);
  const { name, uid, resourceVersion = '' } = metadata;
  return {
    ...current,
    metadata: { ...current.metadata, name, uid, resourceVersion },
    spec: finalizers === undefined ? {} : { ...asJson(current.spec), finalizers },
  };
}

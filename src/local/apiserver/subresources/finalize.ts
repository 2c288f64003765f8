/** namespaces/finalize: takes finalizers out of a namespace's spec; the last one lets it go. */
import type { ResourceRequest } from '../handlers/request.ts';
import { writeContext } from '../handlers/request.ts';
import { readObject, writtenReply } from '../handlers/write.ts';
import type { ApiReply } from '../http/exchange.ts';
import { methodNotAllowed } from '../http/status.ts';
import { asJson } from '../object.ts';
import { updateObject } from '../registry/update.ts';

export async function handleFinalize(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info } = request;
  if (info.verb !== 'update') throw methodNotAllowed();
  const given = await readObject(request);
  const { finalizers } = asJson(given.spec);
  const written = updateObject(env, {
    kind,
    namespace: '',
    name: info.name,
    subresource: 'finalize',
    produce: () => given,
    restrict: (object, old) => {
      const { metadata } = object;
      Object.assign(object, old);
      object.metadata = { ...old.metadata, resourceVersion: metadata.resourceVersion ?? '' };
    },
    // After the kind's own rules, which keep every other update from touching the finalizers.
    finish: (object, old) => {
      object.spec = finalizers === undefined ? {} : { ...asJson(old.spec), finalizers };
    },
    context: writeContext(request),
  });
  return writtenReply(request, written);
}

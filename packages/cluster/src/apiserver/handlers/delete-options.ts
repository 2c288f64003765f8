import { decodeTypedBody } from '../http/decode.ts';
import { badRequest } from '../http/status.ts';
import { asJson, type Json } from '../object.ts';
import { checkDeleteOptions, type DeleteOptions } from '../registry/delete.ts';
import { queryBoolean, queryInteger, type ResourceRequest } from '../request/request.ts';

/** Options out of body and query; the body wins, as on the real server. */
export async function readDeleteOptions(
  request: ResourceRequest,
): Promise<{ readonly options: DeleteOptions; readonly dryRuns: readonly string[] }> {
  const { http, query } = request;
  const body: Json =
    http.body.length === 0
      ? {}
      : asJson(await decodeTypedBody(http.body, http.headers['content-type'], 'meta.v1.DeleteOptions'));
  checkDeleteBody(body);
  const merged: Json = {
    gracePeriodSeconds: queryInteger(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: query.has('orphanDependents') ? queryBoolean(query, 'orphanDependents') : undefined,
    ...body,
  };
  const options = deleteOptionsOf(merged);
  checkDeleteOptions(options);
  const dryRuns = Array.isArray(body.dryRun) ? body.dryRun.map(String) : [];
  return { options, dryRuns };
}

/** A body that is no DeleteOptions must not delete: the client meant something else. */
function checkDeleteBody({ kind }: Json): void {
  if (kind === undefined || kind === '' || kind === 'DeleteOptions') return;
  throw badRequest(`no kind ${JSON.stringify(kind)} is registered as options of a deletion`);
}

/** Options out of a DeleteOptions object; what has the wrong type counts as absent. */
export function deleteOptionsOf(body: Json): DeleteOptions {
  const { gracePeriodSeconds: grace, propagationPolicy: policy, orphanDependents: orphan } = body;
  const preconditions = asJson(body.preconditions);
  return {
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...(typeof policy === 'string' && policy !== '' ? { propagationPolicy: policy } : {}),
    ...(typeof orphan === 'boolean' ? { orphanDependents: orphan } : {}),
    preconditions: {
      ...(typeof preconditions.uid === 'string' ? { uid: preconditions.uid } : {}),
      ...(typeof preconditions.resourceVersion === 'string'
        ? { resourceVersion: preconditions.resourceVersion }
        : {}),
    },
  };
}

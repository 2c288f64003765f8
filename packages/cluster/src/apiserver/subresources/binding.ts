/** pods/binding: how the scheduler assigns a pod to a node. */

import { formatFieldErrors } from '@turnsole/kube/schema/field-error';
import { askAboutAction } from '../admission/webhooks/carry-out.ts';
import { decodeTypedBody } from '../http/decode.ts';
import { type ApiReply, valueReply } from '../http/exchange.ts';
import { badRequest, conflict, methodNotAllowed, StatusError } from '../http/status.ts';
import { isGated } from '../kinds/scheduling-gates.ts';
import { type ApiObject, asJson, asObjects, asString, isJson, type Json, timestamp } from '../object.ts';
import { updateObject } from '../registry/update.ts';
import { type ResourceRequest, targetOf, writeContext } from '../request/request.ts';
import { FieldErrors, unsupportedField } from '../validation/field.ts';

export async function handleBinding(request: ResourceRequest): Promise<ApiReply> {
  const { env, info, http } = request;
  if (info.verb !== 'create') throw methodNotAllowed();
  const body = await decodeTypedBody(http.body, http.headers['content-type'], 'core.v1.Binding');
  if (!isJson(body)) throw badRequest('a Binding is expected');
  const target = asJson(body.target);
  const node = asString(target.name);
  checkTarget(target);
  const context = writeContext(request);
  await askAboutAction(request, 'core.v1.Binding', body, context);
  updateObject(env, {
    ...targetOf(request),
    // The older URL, of a Binding on its own, does not name it.
    subresource: 'binding',
    produce: (pod) => bind(pod, node, body, env.clock.now()),
    writesStatusToo: true,
    context,
  });
  return valueReply(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

function checkTarget(target: Json): void {
  const errors = new FieldErrors();
  const kind = asString(target.kind);
  if (kind !== '' && kind !== 'Node') errors.push(unsupportedField('target.kind', kind, ['Node', '<empty>']));
  if (asString(target.name) === '') errors.required('target.name');
  // The real server passes this on as it is, without making it an invalid object.
  if (errors.length > 0) throw new StatusError(500, '', formatFieldErrors(errors));
}

/** The pod on its node; pure. Throws Conflict where it is too late. */
function bind(pod: ApiObject, node: string, binding: Json, now: number): ApiObject {
  const name = pod.metadata.name ?? '';
  const resource = { group: '', plural: 'pods/binding' };
  const spec = asJson(pod.spec);
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const present = asString(spec.nodeName);
  if (present !== '')
    throw conflict(resource, name, `pod ${name} is already assigned to node ${JSON.stringify(present)}`);
  if (isGated(spec)) {
    throw conflict(resource, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  const status = asJson(pod.status);
  const others = asObjects(status.conditions).filter((condition) => condition.type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  };
  const annotations = asJson(asJson(binding.metadata).annotations);
  const metadata = { ...pod.metadata };
  if (Object.keys(annotations).length > 0) {
    // Checked by the decoder to be a map of strings.
    metadata.annotations = { ...metadata.annotations, ...(annotations as Record<string, string>) };
  }
  return {
    ...pod,
    metadata,
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
}

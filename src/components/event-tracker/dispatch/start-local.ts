import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { LABEL_TRIGGER, type PolicyTrigger } from '../../../api/index.ts';
import type { Outcome } from './decide-outcome.ts';
import { STARTED, type Start, startedObject } from './started-object.ts';

/**
 * Creates what a trigger starts. Its name follows from the trigger's id, so that a second try after a crash finds the object of the first.
 * @throws ApiError
 */
export async function startLocal(
  client: KubeClient,
  start: Start,
  trigger: PolicyTrigger,
  namespace: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { template, made } = STARTED[start.kind];
  const found = await client.find<KubeObject>(template, start.name, { namespace, signal });
  if (found === undefined) {
    return {
      type: 'held',
      why: `spec.start.name: there is no ${start.kind} ${namespace}/${start.name}; create it, and the trigger goes on`,
    };
  }
  const object = startedObject(start, found, trigger, namespace);
  const { name } = object.metadata;
  const end = { state: 'Started', message: `${made.kind} ${namespace}/${name} created` } as const;
  try {
    await client.create<KubeObject>(made, object, { namespace, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const present = await client.find<KubeObject>(made, name, { namespace, signal });
    if (present?.metadata.labels?.[LABEL_TRIGGER] !== trigger.id) {
      return {
        type: 'held',
        why: `${made.kind} ${namespace}/${name} is there and is not of this trigger; delete it`,
      };
    }
  }
  return { type: 'ended', end };
}

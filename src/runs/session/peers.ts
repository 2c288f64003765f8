/** Other operators and workflow controllers on an embedded cluster, to which its own give way. */

import type { Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import type { EventRecorder } from '@turnsole/kube/runtime/event-recorder';
import type { PeerPods } from '@turnsole/kube/runtime/yielding';
import {
  configurationName,
  containerOfController,
  foundController,
} from '../../services/install/other-controllers.ts';
import { operatorContainer, watchedNamespace } from '../../services/install/other-operators.ts';

/** Pods of operators: LitmusChaos', those of its charts, and installed ones. */
export const OPERATOR_PODS: PeerPods = {
  selectors: ['name=chaos-operator', 'app.kubernetes.io/component=operator'],
  reachOf: async (pod) => {
    const container = operatorContainer(pod.metadata, pod.spec);
    return container && (watchedNamespace(container, pod.metadata.namespace ?? '') ?? '');
  },
};

/** Pods of workflow controllers that run the workflows of an instance id, or, where it is empty, those without one. */
export function controllerPods(client: KubeClient, instanceId: string): PeerPods {
  // A controller reads its instance id once; a look at a pod that has not changed since need not.
  const known = new WeakMap<Pod, Promise<string | undefined>>();
  const read = async (pod: Pod): Promise<string | undefined> => {
    const container = containerOfController(pod.metadata, pod.spec);
    if (container === undefined) return undefined;
    const { namespace = '' } = pod.metadata;
    const configuration = await client.find<ConfigMap>(CONFIG_MAPS, configurationName(container), {
      namespace,
    });
    const found = foundController(pod, container, configuration);
    return found.instanceId === instanceId ? (found.watchNamespace ?? '') : undefined;
  };
  return {
    selectors: ['app=workflow-controller', 'app.kubernetes.io/component=workflow-controller'],
    reachOf: (pod) => {
      const reading = known.get(pod) ?? read(pod);
      known.set(pod, reading);
      // A failure is tried again at the next look.
      reading.catch(() => known.delete(pod));
      return reading;
    },
  };
}

/** Says, in Events of a peer's pod, what it has taken over, and what it has not any more. */
export function tellPeers(
  recorder: Pick<EventRecorder, 'recordOn'>,
  logger: Logger,
  { what, who }: { readonly what: string; readonly who: string },
): (pod: Pod, reach: string, works: boolean) => void {
  return (pod, reach, works) => {
    const where = reach === '' ? 'all namespaces' : `namespace ${reach}`;
    const message = works
      ? `${who} leaves ${what} of ${where} to this pod`
      : `this pod is not ready: ${who} takes ${what} of ${where} until it is`;
    logger.info({ pod: `${pod.metadata.namespace}/${pod.metadata.name}` }, message);
    recorder.recordOn(PODS, pod, {
      type: works ? 'Normal' : 'Warning',
      reason: works ? 'BuiltInStandsAside' : 'BuiltInTakesOver',
      message,
    });
  };
}

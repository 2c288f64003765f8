/** Priority and default tolerations of pods. Source: kubernetes.io, Admission controllers, Priority and DefaultTolerationSeconds. */
import type { Pod, Toleration } from '@turnsole/kube/kinds/core';
import { forbidden } from '../http/status.ts';
import { asJson } from '../object.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';
import { objectOf } from '../stored-object.ts';

const PRIORITY_CLASSES = 'priorityclasses.scheduling.k8s.io';
const TOLERATION_SECONDS = 300;
const NODE_PROBLEMS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

export function admitPodDefaults(env: ServerParts, attempt: AdmissionAttempt): void {
  const { definition, object, old, subresource } = attempt;
  if (definition.plural !== 'pods' || definition.group !== '' || subresource !== '') return;
  if (object === undefined) return;
  // Both decoded with the type of a Pod.
  const pod = object as unknown as Pod;
  if (old === undefined) setPriority(env, attempt, pod);
  else keepPriority(pod, old as unknown as Pod);
  setTolerations(pod);
}

/** A user who updates a pod from its manifest does not know the fields that admission added at its creation. */
function keepPriority({ spec }: Pod, old: Pod): void {
  if (spec === undefined) return;
  if (old.spec?.priority !== undefined) spec.priority ??= old.spec.priority;
  if (old.spec?.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.spec.preemptionPolicy;
}

function setPriority(env: ServerParts, { definition, name }: AdmissionAttempt, pod: Pod): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const wanted = spec.priorityClassName ?? '';
  const found =
    wanted === ''
      ? [...env.store.values(PRIORITY_CLASSES)].find((version) => objectOf(version).globalDefault === true)
      : env.store.get(PRIORITY_CLASSES, '', wanted);
  if (wanted !== '' && found === undefined) {
    throw forbidden(definition, name, `no PriorityClass with name ${wanted} was found`);
  }
  const priorityClass = found === undefined ? {} : asJson(objectOf(found));
  const value = typeof priorityClass.value === 'number' ? priorityClass.value : 0;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw forbidden(
      definition,
      name,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  if (found !== undefined && wanted === '') spec.priorityClassName = found.name;
  const policy = priorityClass.preemptionPolicy;
  spec.preemptionPolicy ??= typeof policy === 'string' ? policy : 'PreemptLowerPriority';
}

function setTolerations(pod: Pod): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const present = spec.tolerations ?? [];
  const added: Toleration[] = [];
  for (const key of NODE_PROBLEMS) {
    const tolerated = present.some(
      (toleration) =>
        ((toleration.key ?? '') === '' || toleration.key === key) &&
        ((toleration.effect ?? '') === '' || toleration.effect === 'NoExecute'),
    );
    if (!tolerated)
      added.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATION_SECONDS });
  }
  if (added.length > 0) spec.tolerations = [...present, ...added];
}

/** What the runtime class of a pod adds to it. Source: kubernetes.io, Runtime Class; Pod Overhead. */
import type { Pod, Toleration } from '@turnsole/kube/kinds/core';
import { equalJson } from '@turnsole/kube/text/json';
import { forbidden } from '../http/status.ts';
import type { ApiObject } from '../object.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';
import { objectOf } from '../stored-object.ts';

const RUNTIME_CLASSES = 'runtimeclasses.node.k8s.io';

/** The parts of a RuntimeClass that count for pods. */
interface RuntimeClass extends ApiObject {
  readonly overhead?: { readonly podFixed?: Record<string, string> };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}

/** Gives a new pod the overhead, the selector of nodes and the tolerations of its class. Throws Forbidden where they do not fit. */
export function admitRuntimeClass(env: ServerParts, attempt: AdmissionAttempt): void {
  const { definition, operation, subresource, object, name } = attempt;
  if (definition.table !== 'pods' || operation !== 'create' || subresource !== '') return;
  // Decoded with the type of a Pod.
  const { spec } = object as unknown as Pod;
  if (spec === undefined) return;
  const { runtimeClassName: className } = spec;
  const found = className === undefined ? undefined : env.store.get(RUNTIME_CLASSES, '', className);
  if (className !== undefined && found === undefined) {
    throw forbidden(definition, name, `pod rejected: RuntimeClass ${JSON.stringify(className)} not found`);
  }
  // Decoded with the type of a RuntimeClass when it was written.
  const { overhead, scheduling } = (found === undefined ? {} : objectOf(found)) as Partial<RuntimeClass>;
  if (overhead === undefined && spec.overhead !== undefined) {
    const why = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
    throw forbidden(definition, name, why);
  }
  if (overhead !== undefined) {
    if (spec.overhead !== undefined && !equalJson(spec.overhead, overhead.podFixed)) {
      const why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
      throw forbidden(definition, name, why);
    }
    spec.overhead = { ...overhead.podFixed };
  }
  for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key] ?? value;
    if (own !== value) {
      const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
      throw forbidden(definition, name, why);
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
  }
  const present = spec.tolerations ?? [];
  const further = (scheduling?.tolerations ?? []).filter(
    (toleration) => !present.some((one) => equalJson(one, toleration)),
  );
  if (further.length > 0) spec.tolerations = [...present, ...further];
}

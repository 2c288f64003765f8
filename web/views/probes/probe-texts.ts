import type { ShownProbe } from './generated/probes.ts';

/** Names of the fields of the form. */
type Field =
  | 'description'
  | 'timeout'
  | 'interval'
  | 'attempt'
  | 'url'
  | 'command'
  | 'endpoint'
  | 'query'
  | 'group'
  | 'version'
  | 'resource'
  | 'namespace'
  | 'labels'
  | 'operation'
  | 'valueType'
  | 'criteria'
  | 'value';

/** The texts of the form for a probe. Pure. */
export function probeTexts(probe: ShownProbe): Readonly<Partial<Record<Field, string>>> {
  const { kubernetesHTTPProperties: http, kubernetesCMDProperties: cmd } = probe;
  const { promProperties: prom, k8sProperties: k8s } = probe;
  const times = http ?? cmd ?? prom ?? k8s;
  const asked = http?.method.get ?? http?.method.post;
  const compared = cmd?.comparator ?? prom?.comparator;
  return defined({
    description: probe.description,
    timeout: times?.probeTimeout,
    interval: times?.interval,
    attempt: String(times?.attempt ?? times?.retry ?? 1),
    url: http?.url,
    command: cmd?.command,
    endpoint: prom?.endpoint,
    query: prom?.query,
    group: k8s?.group,
    version: k8s?.version,
    resource: k8s?.resource,
    namespace: k8s?.namespace,
    labels: k8s?.labelSelector,
    operation: k8s?.operation,
    valueType: compared?.type,
    criteria: asked?.criteria ?? compared?.criteria,
    value: asked?.responseCode ?? compared?.value,
  });
}

function defined(
  texts: Readonly<Record<Field, string | null | undefined>>,
): Readonly<Partial<Record<Field, string>>> {
  const entries = Object.entries(texts).filter(([, text]) => text !== null && text !== undefined);
  return Object.fromEntries(entries) as Partial<Record<Field, string>>;
}

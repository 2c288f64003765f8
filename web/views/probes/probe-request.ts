import type { ProbeRequest, ProbeType } from '../../../src/controlplane/schema/generated/types.ts';

/** The texts of a form, by name. */
type Texts = (name: string) => string;

/** What is sent of a form for a probe of a type. Pure. */
export function probeRequest(type: ProbeType, text: Texts): ProbeRequest {
  const same = {
    name: text('name'),
    description: text('description'),
    infrastructureType: 'Kubernetes' as const,
  };
  const times = {
    probeTimeout: text('timeout'),
    interval: text('interval'),
    attempt: Number(text('attempt')),
  };
  const comparator = {
    type: text('valueType'),
    criteria: text('criteria'),
    value: text('value'),
  };
  switch (type) {
    case 'httpProbe': {
      const get = { criteria: text('criteria'), responseCode: text('value') };
      return { ...same, type, kubernetesHTTPProperties: { ...times, url: text('url'), method: { get } } };
    }
    case 'cmdProbe':
      return { ...same, type, kubernetesCMDProperties: { ...times, command: text('command'), comparator } };
    case 'promProbe':
      return {
        ...{ ...same, type },
        promProperties: { ...times, endpoint: text('endpoint'), query: text('query'), comparator },
      };
    case 'k8sProbe':
      return {
        ...{ ...same, type },
        k8sProperties: {
          ...times,
          ...{ group: text('group'), version: text('version'), resource: text('resource') },
          ...{ namespace: text('namespace'), labelSelector: text('labels'), operation: text('operation') },
        },
      };
  }
}

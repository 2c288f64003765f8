import type { ProbeRequest, ProbeType } from '../../../src/controlplane/schema/generated/types.ts';
import type { ShownProbe } from './generated/probes.ts';

/** The texts of a form, by name. */
type Texts = (name: string) => string;

/**
 * The request from a form for a probe of a type. A changed probe keeps the properties that the form does not show: a POST with its body,
 * delays, the pod of a command. Pure.
 */
export function probeRequest(type: ProbeType, text: Texts, before?: ShownProbe): ProbeRequest {
  const same = {
    name: before?.name ?? text('name'),
    description: text('description'),
    infrastructureType: 'Kubernetes' as const,
    ...(before?.tags !== null && before?.tags !== undefined && { tags: [...before.tags] }),
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
      const kept = before?.kubernetesHTTPProperties;
      const expected = { criteria: text('criteria'), responseCode: text('value') };
      const post = kept?.method.get === null ? kept.method.post : undefined;
      const method =
        post === null || post === undefined ? { get: expected } : { post: { ...post, ...expected } };
      return { ...same, type, kubernetesHTTPProperties: { ...kept, ...times, url: text('url'), method } };
    }
    case 'cmdProbe': {
      const kept = before?.kubernetesCMDProperties;
      const command = text('command');
      return { ...same, type, kubernetesCMDProperties: { ...kept, ...times, command, comparator } };
    }
    case 'promProbe': {
      const kept = before?.promProperties;
      const asked = { endpoint: text('endpoint'), query: text('query') };
      return { ...same, type, promProperties: { ...kept, ...times, ...asked, comparator } };
    }
    case 'k8sProbe':
      return {
        ...{ ...same, type },
        k8sProperties: {
          ...before?.k8sProperties,
          ...times,
          ...{ group: text('group'), version: text('version'), resource: text('resource') },
          ...{ namespace: text('namespace'), labelSelector: text('labels'), operation: text('operation') },
        },
      };
  }
}

/** A probe that a URL answers 200, each second, each time. Pure. */
export function answersRequest(text: {
  readonly name: string;
  readonly url: string;
  /** Like `1s`. */
  readonly timeout: string;
}): ProbeRequest {
  const fixed = { criteria: '==', value: '200', interval: '1s', attempt: '1' };
  const texts: Readonly<Record<string, string>> = { ...fixed, ...text };
  return probeRequest('httpProbe', (field) => texts[field] ?? '');
}

import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Probe } from '../../../api/schema/probe.ts';
import type { MeasureContext } from '../probe-kind.ts';
import type { ProbeLogger } from '../runner-types.ts';

/** Run properties that let a test say only what matters to it. */
export const RUN: Probe['runProperties'] = { probeTimeout: '', interval: '' };

/** An httpProbe in SOT mode that wants status 200 of a GET. */
export function httpProbe(url: string, rest: Partial<Probe> = {}): Probe {
  const inputs = { url, method: { get: { criteria: '==', responseCode: '200' } } };
  return {
    name: 'web',
    type: 'httpProbe',
    mode: 'SOT',
    runProperties: RUN,
    'httpProbe/inputs': inputs,
    ...rest,
  };
}

/** A cmdProbe in SOT mode whose output must equal `value`. */
export function cmdProbe(command: string, value: string, rest: Partial<Probe> = {}): Probe {
  const inputs = { command, comparator: { type: 'string', criteria: 'equal', value } } as const;
  return {
    name: 'shell',
    type: 'cmdProbe',
    mode: 'SOT',
    runProperties: RUN,
    'cmdProbe/inputs': inputs,
    ...rest,
  };
}

/** A k8sProbe in SOT mode. */
export function k8sProbe(inputs: Partial<Probe['k8sProbe/inputs']>, rest: Partial<Probe> = {}): Probe {
  const complete = { version: 'v1', resource: 'pods', operation: 'present', ...inputs } as const;
  return {
    name: 'object',
    type: 'k8sProbe',
    mode: 'SOT',
    runProperties: RUN,
    'k8sProbe/inputs': complete,
    ...rest,
  };
}

/** A promProbe in SOT mode that wants a value of at least 1. */
export function promProbe(
  endpoint: string,
  inputs: Partial<Probe['promProbe/inputs']>,
  rest: Partial<Probe> = {},
): Probe {
  const complete = { endpoint, query: 'up', comparator: { criteria: '>=', value: '1' }, ...inputs };
  return {
    name: 'metric',
    type: 'promProbe',
    mode: 'SOT',
    runProperties: RUN,
    'promProbe/inputs': complete,
    ...rest,
  };
}

/** A sloProbe in SOT mode that allows the error budget to drop by less than 1 %. */
export function sloProbe(
  platformEndpoint: string,
  inputs: Partial<Probe['sloProbe/inputs']> = {},
  rest: Partial<Probe> = {},
): Probe {
  const complete = {
    platformEndpoint,
    sloIdentifier: 'checkout',
    sloSourceMetadata: {
      apiTokenSecret: 'slo-token',
      scope: { accountIdentifier: 'acme', orgIdentifier: 'default', projectIdentifier: 'shop' },
    },
    comparator: { type: 'float', criteria: '<', value: '1' },
    ...inputs,
  };
  return {
    name: 'objective',
    type: 'sloProbe',
    mode: 'SOT',
    runProperties: RUN,
    'sloProbe/inputs': complete,
    ...rest,
  };
}

/** A loadProbe in OnChaos mode that sends 100 requests per second, each with a limit of 1 s. */
export function loadProbe(
  url: string,
  inputs: Partial<Probe['loadProbe/inputs']> = {},
  rest: Partial<Probe> = {},
): Probe {
  return {
    name: 'users',
    type: 'loadProbe',
    mode: 'OnChaos',
    runProperties: { probeTimeout: '1s', interval: '' },
    'loadProbe/inputs': { rate: 100, requests: [{ url }], ...inputs },
    ...rest,
  };
}

/** A context without a cluster: any use of the client fails. */
export function measureContext(rest: Partial<MeasureContext> = {}): MeasureContext {
  return {
    client: noClient(),
    clock: systemClock,
    env: process.env,
    signal: new AbortController().signal,
    limits: { timeoutMs: 60_000, pollingMs: 1000, evaluationMs: 0 },
    chaosSinceMs: undefined,
    render: (text) => text,
    ...rest,
  };
}

/** Counts the runs of probes that passed, by the log of their runner, for tests that wait for them. */
export class PassCounter {
  readonly #passes = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  /** For the runner. */
  readonly logger: ProbeLogger = {
    info: (fields) => {
      const name = 'probe' in fields ? String(fields.probe) : '';
      this.#passes.set(name, (this.#passes.get(name) ?? 0) + 1);
      for (const look of this.#waiting) look();
    },
    warn: () => {},
  };

  /** Resolves when each of these probes has begun and passed a run since now. */
  async newRuns(names: readonly string[]): Promise<void> {
    // The first of them may have begun before.
    const wanted = new Map(names.map((name) => [name, (this.#passes.get(name) ?? 0) + 2]));
    const isThere = (): boolean =>
      [...wanted].every(([name, count]) => (this.#passes.get(name) ?? 0) >= count);
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** A client for probes that must not use one. */
export function noClient(): KubeClient {
  const handler = {
    get: (_: object, method: string | symbol) => {
      throw new Error(`the client must not be used, but ${String(method)} was`);
    },
  };
  // A proxy has whatever shape its target claims; every access throws.
  return new Proxy({}, handler) as KubeClient;
}

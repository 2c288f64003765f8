/** Builders of observed pods for tables: each says only what matters. */
import type { Container, PodSpec } from '@turnsole/kube/kinds/core';
import type { ContainerState, ObservedContainer, ObservedPod, Termination } from '../pod/observed.ts';

export const NOW = Date.parse('2030-01-01T00:00:00Z');

export function exit(exitCode: number, secondsAgo = 0): Termination {
  return {
    id: 'f'.repeat(64),
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAtMs: NOW - secondsAgo * 1000 - 5_000,
    finishedAtMs: NOW - secondsAgo * 1000,
  };
}

export const running = (
  change: Partial<Extract<ContainerState, { phase: 'running' }>> = {},
): ContainerState => ({
  phase: 'running',
  id: 'a'.repeat(64),
  startedAtMs: NOW,
  started: true,
  ready: true,
  ...change,
});

export const exited = (exitCode: number, secondsAgo = 0): ContainerState => ({
  phase: 'exited',
  termination: exit(exitCode, secondsAgo),
});

export function container(
  name: string,
  state: ContainerState = { phase: 'idle' },
  change: Partial<Omit<ObservedContainer, 'spec'>> & { spec?: Partial<Container> } = {},
): ObservedContainer {
  const { spec, ...rest } = change;
  return { role: 'app', state, restarts: 0, ...rest, spec: { name, image: `example/${name}`, ...spec } };
}

export function pod(
  containers: readonly ObservedContainer[],
  change: Partial<Omit<ObservedPod, 'spec'>> & { spec?: Partial<PodSpec> } = {},
): ObservedPod {
  const { spec, ...rest } = change;
  return {
    namespace: 'default',
    name: 'web',
    uid: 'u1',
    nowMs: NOW,
    startedAtMs: NOW - 60_000,
    sandbox: { phase: 'ready', ip: '127.20.64.1' },
    containers,
    ...rest,
    spec: { containers: [], ...spec },
  };
}

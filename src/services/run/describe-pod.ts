import type { ContainerStatus, CoreEvent, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { podStartProblem } from '../../chaos/pod-start.ts';

/** What is known of a pod that is not ready. */
export interface PodFacts {
  readonly pod: Pod;
  /** Of its namespace. */
  readonly events: readonly CoreEvent[];
  /** The last lines of each container that is not ready. */
  readonly logs: ReadonlyMap<string, readonly string[]>;
  /** Whether pods have networks of their own; undefined where that is not known. */
  readonly isIsolated?: boolean;
}

const SHOWN_EVENTS = 3;

/** What keeps a pod from being ready, in lines: its containers, its Warnings, its logs, and what to do. Pure. */
export function describePod({ pod, events, logs, isIsolated }: PodFacts): string[] {
  const { name } = pod.metadata;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const states = statuses.flatMap((status) => {
    const state = stateOf(status);
    return state === undefined ? [] : [`container ${status.name} ${state}`];
  });
  const problem = podStartProblem(pod);
  const heads = problem !== undefined ? [problem.message] : states;
  const warnings = warningsAbout(pod, events);
  const printed = [...logs].flatMap(([container, lines]) =>
    lines.map((line) => `${logs.size > 1 ? `${container} ` : ''}| ${line}`),
  );
  const advice = adviceOn([...warnings, ...printed], isIsolated);
  return [
    `  pod ${name}: ${heads.length === 0 ? `phase ${pod.status?.phase ?? 'unknown'}` : heads.join('; ')}`,
    ...[...warnings, ...printed].map((line) => `    ${line}`),
    ...advice.map((line) => `    ${line}`),
  ];
}

/** How a container that is not ready is; undefined for one that is ready or has done its work. */
function stateOf({ ready, state, lastState, restartCount }: ContainerStatus): string | undefined {
  if (ready || state?.terminated?.exitCode === 0) return undefined;
  const ended = state?.terminated ?? lastState?.terminated;
  const how =
    ended === undefined
      ? ''
      : `ended with exit code ${ended.exitCode}${ended.reason === undefined || ended.reason === 'Error' ? '' : ` (${ended.reason})`}`;
  const times = restartCount > 0 ? `, started ${restartCount + 1} times` : '';
  if (state?.running !== undefined)
    return how === '' ? 'runs, and is not ready' : `runs, and is not ready; before that it ${how}${times}`;
  if (how !== '') return `${how}${times}`;
  const { reason = 'nothing known', message } = state?.waiting ?? {};
  return `waits: ${reason}${message === undefined ? '' : `: ${message}`}`;
}

/** The last Warnings about an object, each once. Pure. */
export function warningsAbout({ metadata }: KubeObject, events: readonly CoreEvent[]): string[] {
  const own = events.filter(
    ({ type, involvedObject }) =>
      type === 'Warning' &&
      (involvedObject.uid === metadata.uid ||
        // A Deployment has no pods because its ReplicaSet cannot make them.
        involvedObject.name?.startsWith(`${metadata.name}-`) === true ||
        involvedObject.name === metadata.name),
  );
  const texts = own.map(({ reason = '', message = '' }) => `${reason}: ${message.trim()}`);
  // BackOff says that it is restarted, which the exit code says better.
  return [...new Set(texts)].filter((text) => !text.startsWith('BackOff:')).slice(-SHOWN_EVENTS);
}

/** What to do about what is known to go wrong. Pure. */
function adviceOn(lines: readonly string[], isIsolated: boolean | undefined): string[] {
  const text = lines.join('\n');
  const advice: string[] = [];
  if (/EADDRINUSE|address (?:is )?already in use|port is already allocated/i.test(text))
    advice.push(
      isIsolated === false
        ? 'the port is taken: pods share the ports of this machine here, also with other replicas and programs; run as root on Linux (sudo -E), where each pod has a network of its own, or have the program listen on the address of its pod'
        : 'the port is taken by another program of the same pod',
    );
  if (
    /(?:ECONNREFUSED|connection refused|cannot connect)[^\n]*(?:127\.0\.0\.1|localhost|::1)|(?:127\.0\.0\.1|localhost|\[::1\])[^\n]*(?:ECONNREFUSED|refused)/i.test(
      text,
    )
  )
    advice.push(
      'an address of this machine (localhost, 127.0.0.1) is the pod itself: give the program the name of the Service that it needs',
    );
  if (/ENOTFOUND|EAI_AGAIN|name or service not known|could not resolve|no such host/i.test(text))
    advice.push('a name was not found: is its Service among the manifests, and in this namespace?');
  return advice;
}

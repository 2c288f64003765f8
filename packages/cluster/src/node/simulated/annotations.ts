import type { Pod } from '@turnsole/kube/kinds/core';
import { isQuantity, parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import type { ContainerPlan, PodPlan } from './plan.ts';

/** What the names of all annotations that steer the simulation begin with. */
export const SIMULATED_PREFIX = 'simulated.turnsole.io/';

/** How long the pods of a Job run unless an annotation says otherwise. */
const JOB_RUN_SECONDS = '0.5-1.5';

/** What the annotations of a pod ask for. */
interface AnnotatedPlan {
  readonly plan: PodPlan | 'process';
  /** The problems of unreadable values, as sentences; these get the default. */
  readonly problems: readonly string[];
}

interface Setting {
  readonly expected: string;
  /** Undefined when the text cannot be understood. */
  readonly read: (text: string, fraction: number) => ContainerPlan | undefined;
}

const SECONDS = 'seconds such as 2, 0.5 or 1-3, or "never"';

const SETTINGS: Readonly<Record<string, Setting>> = {
  'start-after': seconds((startAfterMs) => ({ startAfterMs })),
  'ready-after': seconds((readyAfterMs) => ({ readyAfterMs })),
  'run-seconds': seconds((runMs) => ({ runMs })),
  'stop-seconds': seconds((stopAfterMs) => ({ stopAfterMs })),
  'fail-start': {
    expected: 'a message',
    read: (failStart) => (failStart === '' ? undefined : { failStart }),
  },
  'exit-code': {
    expected: 'a whole number from 0 to 255',
    read: (text) => (/^\d{1,3}$/.test(text) && Number(text) <= 255 ? { exitCode: Number(text) } : undefined),
  },
  cpu: amount('cores such as 250m or 1.5', (cores) => ({ cpuMillis: cores * 1000 })),
  memory: amount('bytes such as 64Mi or 1Gi', (memoryBytes) => ({ memoryBytes })),
};

function amount(expected: string, plan: (amount: number) => ContainerPlan): Setting {
  return {
    expected,
    read: (text) => {
      const value = isQuantity(text) ? quantityToNumber(parseQuantity(text)) : -1;
      return value < 0 ? undefined : plan(value);
    },
  };
}

function seconds(plan: (ms: number) => ContainerPlan): Setting {
  return {
    expected: SECONDS,
    read: (text, fraction) => {
      const ms = parseSeconds(text, fraction);
      return ms === undefined ? undefined : plan(ms);
    },
  };
}

/** Milliseconds of `2`, `0.5`, `never`, or of the point of a range `1-3` at `fraction`; undefined for anything else. */
export function parseSeconds(text: string, fraction: number): number | undefined {
  if (text === 'never') return Number.POSITIVE_INFINITY;
  const match = /^(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?$/.exec(text.trim());
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : Number(match[2]);
  return to < from ? undefined : Math.round((from + (to - from) * fraction) * 1000);
}

/**
 * How a pod is simulated by its annotations `simulated.turnsole.io/<setting>`, for one container
 * `simulated.turnsole.io/<setting>.<container>`; pure, and for one seed always the same.
 *
 * Without any: pods of a Job end after a second with 0, all others run for ever, all are ready at once.
 */
export function annotatedPlan(pod: Pod, seed: string): AnnotatedPlan {
  const annotations = pod.metadata.annotations ?? {};
  if (annotations[`${SIMULATED_PREFIX}run`] === 'process') return { plan: 'process', problems: [] };
  const problems: string[] = [];
  const own: ContainerPlan[] = [jobDefault(pod, seed)];
  const containers: Record<string, ContainerPlan> = {};
  const perContainer: (readonly [string, ContainerPlan])[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(SIMULATED_PREFIX)) continue;
    const [name = '', container] = split(key.slice(SIMULATED_PREFIX.length));
    const setting = SETTINGS[name];
    const plan = setting?.read(value, fractionOf(seed, keyOf(pod), key));
    if (plan === undefined) {
      const expected = setting?.expected ?? `one of ${Object.keys(SETTINGS).join(', ')}, run`;
      problems.push(`annotation ${key}: expected ${expected}, found ${JSON.stringify(value)}; it is ignored`);
    } else if (container === undefined) own.push(plan);
    else perContainer.push([container, plan]);
  }
  const whole: ContainerPlan = Object.assign({}, ...own);
  for (const [container, plan] of perContainer) {
    containers[container] = { ...(containers[container] ?? whole), ...plan };
  }
  return { plan: perContainer.length === 0 ? whole : { ...whole, containers }, problems };
}

function split(name: string): readonly [string, string | undefined] {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
}

function jobDefault(pod: Pod, seed: string): ContainerPlan {
  const isOfJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller);
  if (isOfJob !== true || (pod.spec?.restartPolicy ?? 'Always') === 'Always') return {};
  const runMs = parseSeconds(JOB_RUN_SECONDS, fractionOf(seed, keyOf(pod), 'job'));
  return runMs === undefined ? {} : { runMs };
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** A number in [0, 1) that follows from the texts alone (FNV-1a): the same seed makes the same simulation. */
function fractionOf(...texts: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const text of texts) {
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  // The low bits of FNV vary least between similar texts: fold the high ones in.
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

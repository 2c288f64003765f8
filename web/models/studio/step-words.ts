import { durationWords } from '../words/duration.ts';
import type { Step } from './draft.ts';
import type { FaultBook, KnownFault } from './known-fault.ts';
import { withoutTags } from './read-draft.ts';

type Shape = 'pulse' | 'sustained' | undefined;

/** A step as a sentence: target, share, time. Pure. */
export function stepWords(
  step: Step,
  parameters: ReadonlyMap<string, string>,
  book: FaultBook | undefined,
): string {
  const known = book?.faults[step.fault.name];
  const parts = [
    targetWords(step, parameters),
    shareWords(step, known?.shape),
    timeWords(step, known?.shape),
  ];
  const summary = (known?.summary ?? step.fault.description).split('\n')[0] ?? '';
  return [summary, ...parts.filter((part) => part !== '').map((part) => `${part}.`)].join(' ').trim();
}

function targetWords({ fault, target }: Step, parameters: ReadonlyMap<string, string>): string {
  if (!fault.hasTarget) return '';
  const [kind, namespace, label] = [target.kind, target.namespace, target.label].map((text) =>
    withoutTags(text, parameters),
  );
  return `Target: ${kind} with ${label || 'no label yet'} in ${namespace || 'no namespace yet'}`;
}

function shareWords({ fault, settings }: Step, shape: Shape): string {
  if (!fault.hasTarget) return '';
  const named = settings.TARGET_PODS ?? '';
  if (named !== '') return `The pods ${named}`;
  const share = settings.PODS_AFFECTED_PERC ?? '';
  const some = share === '' || share === '0' ? 'One pod' : `${share} % of its pods, one at least`;
  return shape === 'pulse' ? `${some}, in each round` : some;
}

function timeWords({ settings }: Step, shape: Shape): string {
  const seconds = Number(settings.TOTAL_CHAOS_DURATION || Number.NaN);
  if (!Number.isFinite(seconds)) return '';
  const every = Number(settings.CHAOS_INTERVAL || Number.NaN);
  const time = `For ${durationWords(seconds * 1000)}`;
  if (shape === 'sustained') return `${time}, then reverted`;
  return Number.isFinite(every) ? `${time}, again every ${durationWords(every * 1000)}` : time;
}

const TARGETS: Readonly<Record<KnownFault['targets'], string>> = {
  pods: 'Hits pods',
  containers: 'Hits containers',
  workloads: 'Hits deployments and stateful sets',
  node: 'Hits one node',
  nodes: 'Hits nodes',
  resources: 'Hits resources of a cloud that its settings name',
  none: 'Hits what its settings name',
};

/** A fault's way of working, in a sentence: its target, whether it lasts, and where it runs. Pure. */
export function wayWords({ targets, shape, where }: KnownFault): string {
  const how = shape === 'pulse' ? 'in rounds' : 'for the whole time, then it is reverted';
  const place = where === 'api' ? 'through the API' : "by a helper on the targets' nodes";
  return `${TARGETS[targets]} ${place}, ${how}.`;
}

import type { Draft, HubFault, Step, Target } from './draft.ts';

const FIRST_TARGET: Target = { namespace: 'default', kind: 'deployment', label: '' };
const NO_TARGET: Target = { namespace: '', kind: '', label: '' };

/** Adds a fault as the last step, with the settings that its hub suggests and the target of the step before it. */
export function addStep(draft: Draft, { suggested, ...fault }: HubFault): Draft {
  const step: Step = {
    name: freeName(draft.steps, fault.name),
    fault,
    target: fault.hasTarget ? (lastTarget(draft) ?? FIRST_TARGET) : NO_TARGET,
    settings: Object.fromEntries([...fault.defaults, ...suggested]),
    probes: [],
    weight: 10,
    isParallel: false,
  };
  return { ...draft, steps: [...draft.steps, step] };
}

/** Changes the step of this name. */
export function changeStep(draft: Draft, name: string, changes: Partial<Step>): Draft {
  return {
    ...draft,
    steps: draft.steps.map((step) => (step.name === name ? { ...step, ...changes } : step)),
  };
}

/** Sets a setting of the step of this name; one that the fault does not list is removed when it is empty. */
export function withSetting(draft: Draft, step: string, name: string, value: string): Draft {
  const { settings = {}, fault } = draft.steps.find((one) => one.name === step) ?? {};
  const { [name]: _before, ...others } = settings;
  const isKept = value !== '' || fault?.defaults.has(name) === true;
  return changeStep(draft, step, { settings: isKept ? { ...settings, [name]: value } : others });
}

/** Removes a step. */
export function removeStep(draft: Draft, name: string): Draft {
  return { ...draft, steps: firstAlone(draft.steps.filter((step) => step.name !== name)) };
}

/** Moves a step by places, up when negative; at an end it stays. */
export function moveStep(draft: Draft, name: string, by: number): Draft {
  const from = draft.steps.findIndex((step) => step.name === name);
  const moved = draft.steps[from];
  if (moved === undefined) return draft;
  const others = draft.steps.toSpliced(from, 1);
  const to = Math.min(Math.max(from + by, 0), others.length);
  return { ...draft, steps: firstAlone(others.toSpliced(to, 0, moved)) };
}

/** Steps in groups that begin together. */
export function groupsOf(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (step.isParallel && last !== undefined) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

function lastTarget({ steps }: Draft): Target | undefined {
  return steps.findLast(({ fault }) => fault.hasTarget)?.target;
}

/** The first step has none before it, so it begins alone. */
function firstAlone(steps: readonly Step[]): readonly Step[] {
  return steps.map((step, place) => (place === 0 ? { ...step, isParallel: false } : step));
}

function freeName(steps: readonly Step[], wanted: string): string {
  const taken = new Set(steps.map(({ name }) => name));
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!taken.has(name)) return name;
  }
}

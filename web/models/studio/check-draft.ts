import type { Draft, Step } from './draft.ts';

/** Why a draft cannot be saved, at the field that has to change. */
interface Problem {
  /** `name`, `infraID`, `steps`, `cron`, or the name of a step with the field after a slash. */
  readonly field: string;
  readonly text: string;
}

const NAME = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const LABEL = /^[^\s=,]+=[^\s=,]*$/;
/** Longest name of an experiment: those of its runs are longer. */
const NAME_MAX = 50;

/** Everything that keeps a draft from being saved; nothing when it can be. */
export function checkDraft(draft: Draft): Problem[] {
  const found: (Problem | undefined)[] = [
    unless(
      NAME.test(draft.name) && draft.name.length <= NAME_MAX,
      'name',
      `Needs lower-case letters, digits and dashes, a letter first, ${NAME_MAX} at most`,
    ),
    unless(draft.infraID !== '', 'infraID', 'Choose where it runs'),
    unless(draft.steps.length > 0, 'steps', 'Add a fault'),
    unless(
      draft.cron === '' || draft.cron.trim().split(/\s+/).length === 5,
      'cron',
      'Needs five fields: minute, hour, day of the month, month, day of the week',
    ),
    ...draft.steps.flatMap((step) => checkStep(draft, step)),
  ];
  return found.filter((problem) => problem !== undefined);
}

function checkStep(draft: Draft, step: Step): (Problem | undefined)[] {
  const { target, fault, weight } = step;
  return [
    unless(step.name !== draft.name, 'name', `Is the name of a step, too: "${step.name}"`),
    unless(
      Number.isInteger(weight) && weight >= 0 && weight <= 10,
      `${step.name}/weight`,
      'Needs a whole number from 0 to 10',
    ),
    unless(
      !fault.hasTarget || target.namespace !== '',
      `${step.name}/namespace`,
      'Needs the namespace of the application',
    ),
    unless(
      !fault.hasTarget || LABEL.test(target.label),
      `${step.name}/label`,
      'Needs a label of the pods, key=value',
    ),
  ];
}

function unless(isFine: boolean, field: string, text: string): Problem | undefined {
  return isFine ? undefined : { field, text };
}

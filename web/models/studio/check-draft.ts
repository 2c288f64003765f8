import type { About, Draft, Step } from './draft.ts';
import type { FaultBook } from './known-fault.ts';
import { cronProblem, timezoneProblem } from './next-times.ts';
import { settingProblems } from './settings.ts';

/** The parts of the studio, in their order. */
export const PARTS = ['what', 'where', 'settings', 'checks', 'plan', 'when'] as const;

export type Part = (typeof PARTS)[number];

/** Why a draft cannot be saved, at the field that has to change. */
export interface Problem {
  readonly part: Part;
  /** Name of the step that has the field; empty for a field of the experiment. */
  readonly step: string;
  /** `name`, `infraID`, `steps`, `cron`, `timezone`, `namespace`, `label`, `weight`, or the name of a setting. */
  readonly field: string;
  readonly text: string;
}

const NAME = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const LABEL = /^[^\s=,]+=[^\s=,]*$/;
/** Longest name of an experiment; names of its runs are longer. */
const NAME_MAX = 50;

/** All problems that prevent saving a draft. Pure. */
export function checkDraft(draft: Draft, book: FaultBook | undefined): Problem[] {
  const problem = (part: Part, field: string, text: string | undefined): Problem[] =>
    text === undefined ? [] : [{ part, step: '', field, text }];
  return [
    ...problem('what', 'name', nameProblem(draft)),
    ...problem('what', 'steps', draft.steps.length > 0 ? undefined : 'Add a fault'),
    ...problem('where', 'infraID', draft.infraID !== '' ? undefined : 'Choose where it runs'),
    ...draft.steps.flatMap((step) => checkStep(step, book)),
    ...problem('when', 'cron', draft.cron === '' ? undefined : cronProblem(draft.cron)),
    ...problem('when', 'timezone', timezoneProblem(draft.timezone)),
  ];
}

/** Problems that prevent saving a manifest that the form cannot show. Pure. */
export function checkManifest(name: string, { infraID }: About): Problem[] {
  const problems: readonly [Problem['part'], string, string | undefined][] = [
    ['what', 'name', wordProblem(name)],
    ['where', 'infraID', infraID !== '' ? undefined : 'Choose where it runs'],
  ];
  return problems.flatMap(([part, field, text]) =>
    text === undefined ? [] : [{ part, step: '', field, text }],
  );
}

function wordProblem(name: string): string | undefined {
  if (NAME.test(name) && name.length <= NAME_MAX) return undefined;
  return `Needs lower-case letters, digits and dashes, a letter first, ${NAME_MAX} at most`;
}

function nameProblem({ name, steps }: Draft): string | undefined {
  const problem = wordProblem(name);
  if (problem !== undefined) return problem;
  const step = steps.find((one) => one.name === name);
  return step === undefined ? undefined : `Is the name of a step, too: "${step.name}"`;
}

function checkStep(step: Step, book: FaultBook | undefined): Problem[] {
  const { name, target, fault, weight } = step;
  const unless = (isFine: boolean, part: Part, field: string, text: string): Problem[] =>
    isFine ? [] : [{ part, step: name, field, text }];
  const isTag = target.label.includes('{{');
  return [
    ...unless(
      !fault.hasTarget || target.namespace !== '',
      'where',
      'namespace',
      'Needs the namespace of the application',
    ),
    ...unless(
      !fault.hasTarget || isTag || LABEL.test(target.label),
      'where',
      'label',
      'Needs a label of the pods, key=value',
    ),
    ...[...settingProblems(step, book)].map(
      ([field, text]): Problem => ({ part: 'settings', step: name, field, text }),
    ),
    ...unless(
      Number.isInteger(weight) && weight >= 0 && weight <= 10,
      'checks',
      'weight',
      'Needs a whole number from 0 to 10',
    ),
  ];
}

import type { Problem } from '../../models/studio/check-draft.ts';
import type { Draft, Step } from '../../models/studio/draft.ts';
import type { FaultBook } from '../../models/studio/known-fault.ts';
import type { readDraft } from '../../models/studio/read-draft.ts';

/** Props of each part of the form. */
export interface PartProps {
  readonly project: string;
  readonly draft: Draft;
  readonly shown: Exclude<ReturnType<typeof readDraft>, { readonly reason: string }>;
  readonly problems: readonly Problem[];
  readonly book: FaultBook | undefined;
  onChange(change: (draft: Draft) => Draft): void;
}

/** Props of a part about one step. */
export interface StepPartProps extends PartProps {
  readonly step: Step;
}

/** The problem of a field of a step, or of the experiment without a step. */
export function problemAt(problems: readonly Problem[], field: string, step = ''): string | undefined {
  return problems.find((problem) => problem.field === field && problem.step === step)?.text;
}

import type { Problem } from '../../models/studio/check-draft.ts';
import type { Draft, Step } from '../../models/studio/draft.ts';
import type { FaultBook } from '../../models/studio/known-fault.ts';
import type { readDraft } from '../../models/studio/read-draft.ts';

/** What each part of the form gets. */
export interface PartProps {
  readonly project: string;
  readonly draft: Draft;
  readonly shown: Exclude<ReturnType<typeof readDraft>, { readonly reason: string }>;
  readonly problems: readonly Problem[];
  readonly book: FaultBook | undefined;
  onChange(change: (draft: Draft) => Draft): void;
}

/** What a part that is about one step gets. */
export interface StepPartProps extends PartProps {
  readonly step: Step;
}

/** What is wrong with a field; of the experiment where no step is named. */
export function problemAt(problems: readonly Problem[], field: string, step = ''): string | undefined {
  return problems.find((problem) => problem.field === field && problem.step === step)?.text;
}

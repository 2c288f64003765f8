import type { ReactElement } from 'react';
import { stepWords } from '../../models/studio/step-words.ts';
import { groupsOf } from '../../models/studio/steps.ts';
import type { PartProps } from './part-props.ts';

/** The current draft in sentences: which fault hits what, in which order, for how long. */
export function PlanPart({ draft, shown, book }: PartProps): ReactElement {
  if (draft.steps.length === 0)
    return <p className="hint">There is no fault yet, so nothing would happen.</p>;
  return (
    <ol className="plan-list">
      {groupsOf(draft.steps).map((group) => (
        <li key={group[0]?.name}>
          {group.map((step) => (
            <p key={step.name}>
              <b>{step.name}</b>: {stepWords(step, shown.parameters, book)}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}

import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { StudioAddress } from '../../address/studio.ts';
import { PARTS, type Part, type Problem } from '../../models/studio/check-draft.ts';

/** Names of the parts. */
export const PART_NAMES: Readonly<Record<Part, string>> = {
  what: 'What',
  where: 'Where',
  settings: 'Settings',
  checks: 'Checks',
  plan: 'Plan',
  when: 'When',
};

/** The parts of the studio in their order, each with its number of problems. */
export function PartsNav({
  address,
  problems,
  linkTo,
}: {
  readonly address: StudioAddress;
  readonly problems: readonly Problem[];
  linkTo(changes: Partial<StudioAddress>): string;
}): ReactElement {
  return (
    <nav aria-label="Parts of the experiment" className="parts-nav">
      <ol>
        {PARTS.map((part) => {
          const count = problems.filter((problem) => problem.part === part).length;
          return (
            <li key={part}>
              <Link href={linkTo({ part })} aria-current={address.part === part ? 'step' : undefined}>
                {PART_NAMES[part]}
                {count === 0 ? null : (
                  <span className="wanted">
                    {' '}
                    {count}
                    <span className="unseen"> to complete</span>
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** Selects the step of a part; nothing if there is only one. */
export function StepChooser({
  steps,
  chosen,
  problems,
  linkTo,
}: {
  readonly steps: readonly { readonly name: string }[];
  readonly chosen: string;
  /** Problems of the part. */
  readonly problems: readonly Problem[];
  linkTo(changes: Partial<StudioAddress>): string;
}): ReactElement | null {
  if (steps.length < 2) return null;
  return (
    <nav aria-label="Steps" className="parts-nav">
      <ul>
        {steps.map(({ name }) => {
          const isWanting = problems.some(({ step }) => step === name);
          return (
            <li key={name}>
              <Link href={linkTo({ step: name })} aria-current={name === chosen ? 'true' : undefined}>
                <bdi>{name}</bdi>
                {isWanting ? <span className="unseen"> (to complete)</span> : null}
                {isWanting ? (
                  <span className="wanted" aria-hidden="true">
                    {' '}
                    !
                  </span>
                ) : null}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

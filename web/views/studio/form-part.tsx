import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { StudioAddress } from '../../address/studio.ts';
import { PARTS } from '../../models/studio/check-draft.ts';
import { ChecksPart } from './checks-part.tsx';
import type { PartProps, StepPartProps } from './part-props.ts';
import { PART_NAMES, StepChooser } from './parts-nav.tsx';
import { PlanPart } from './plan-part.tsx';
import { SettingsPart } from './settings-part.tsx';
import { WhatPart } from './what-part.tsx';
import { WhenPart } from './when-part.tsx';
import { DraftInfra, WherePart } from './where-part.tsx';

type Props = PartProps & {
  readonly address: StudioAddress;
  linkTo(changes: Partial<StudioAddress>): string;
  onAddress(changes: Partial<StudioAddress>): void;
};

/** The form of the current part, with links to its neighbours. */
export function FormPart(props: Props): ReactElement {
  const { part } = props.address;
  const place = PARTS.indexOf(part);
  const [before, after] = [PARTS[place - 1], PARTS[place + 1]];
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(part);
  useEffect(() => {
    if (shown.current === part) return;
    shown.current = part;
    // Focuses the heading of a new part, for screen readers, and for readers at the end of the previous part.
    heading.current?.focus({ preventScroll: true });
    // The parts stay in sight, from which one goes on.
    document.querySelector('.parts-nav')?.scrollIntoView({ block: 'nearest' });
  }, [part]);
  return (
    <section aria-label={PART_NAMES[part]}>
      <h2 ref={heading} tabIndex={-1}>
        {PART_NAMES[part]}
      </h2>
      {contentOf(props)}
      <p className="studio-line">
        {before === undefined ? null : (
          <Link href={props.linkTo({ part: before })}>Back: {PART_NAMES[before]}</Link>
        )}
        {after === undefined ? null : (
          <Link href={props.linkTo({ part: after })}>Next: {PART_NAMES[after]}</Link>
        )}
      </p>
    </section>
  );
}

function contentOf(props: Props): ReactElement {
  switch (props.address.part) {
    case 'what':
      return <WhatPart {...props} />;
    case 'where':
      return (
        <>
          <DraftInfra {...props} />
          {forStep(props, (step) => (
            <WherePart {...step} />
          ))}
        </>
      );
    case 'settings':
      return forStep(props, (step) => <SettingsPart {...step} />);
    case 'checks':
      return forStep(props, (step) => <ChecksPart {...step} />);
    case 'plan':
      return <PlanPart {...props} />;
    case 'when':
      return <WhenPart {...props} />;
  }
}

function forStep(props: Props, content: (step: StepPartProps) => ReactNode): ReactElement {
  const { draft, address, problems, linkTo } = props;
  const step = draft.steps.find(({ name }) => name === address.step) ?? draft.steps[0];
  if (step === undefined) {
    return (
      <p className="hint">
        There is no fault yet: <Link href={linkTo({ part: 'what' })}>add one</Link>.
      </p>
    );
  }
  return (
    <>
      <StepChooser
        steps={draft.steps}
        chosen={step.name}
        problems={problems.filter(({ part }) => part === address.part)}
        linkTo={linkTo}
      />
      <section key={step.name} aria-label={step.name}>
        <h3>{step.name}</h3>
        {content({ ...props, step })}
      </section>
    </>
  );
}

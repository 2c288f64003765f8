import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { listPath, probePath } from '../../address/routes.ts';
import type { Step } from '../../models/studio/draft.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { SelectInput } from './field.tsx';
import { PROBES } from './generated/studio.ts';

const MODES: readonly (readonly [mode: string, words: string])[] = [
  ['', 'not tried'],
  ['SOT', 'before the chaos'],
  ['EOT', 'after it'],
  ['Edge', 'before and after it'],
  ['Continuous', 'all the time'],
  ['OnChaos', 'during the chaos'],
];

/** The project's probes in a step, each with its mode. */
export function ProbeFields({
  project,
  probes,
  onChange,
}: {
  readonly project: string;
  readonly probes: Step['probes'];
  onChange(probes: Step['probes']): void;
}): ReactElement {
  const view = useAsk(PROBES, { projectID: project });
  const choose = (name: string, mode: string): void => {
    const place = probes.findIndex((probe) => probe.name === name);
    const others = probes.filter((probe) => probe.name !== name);
    onChange(mode === '' ? others : others.toSpliced(place < 0 ? others.length : place, 0, { name, mode }));
  };
  return (
    <StateView view={view} what="the probes">
      {({ listProbes }) => {
        const known = listProbes.filter((probe) => probe !== null);
        const missing = probes.filter(({ name }) => !known.some((probe) => probe.name === name));
        return (
          <>
            {known.length + missing.length === 0 ? (
              <p className="hint">
                The project has no other probe; <Link href={listPath(project, 'probes')}>make one</Link> of
                another kind.
              </p>
            ) : null}
            <div className="form">
              {[
                ...known.map(({ name, type }) => ({ name, type: type as string | undefined })),
                ...missing.map(({ name }) => ({ name, type: undefined })),
              ].map(({ name, type }) => (
                <SelectInput
                  key={name}
                  label={`Probe ${name}`}
                  unit={type}
                  value={probes.find((probe) => probe.name === name)?.mode ?? ''}
                  problem={type === undefined ? 'The project has no probe of this name' : undefined}
                  choices={MODES}
                  help={
                    type === undefined ? null : <Link href={probePath(project, name)}>See and try it</Link>
                  }
                  onChange={(mode) => choose(name, mode)}
                />
              ))}
            </div>
          </>
        );
      }}
    </StateView>
  );
}

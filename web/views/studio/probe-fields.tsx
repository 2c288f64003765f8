import type { ReactElement } from 'react';
import type { ProbeMode, Step } from '../../models/studio/draft.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { Field } from './field.tsx';
import { PROBES } from './studio-query.ts';

const MODES: readonly (readonly [mode: ProbeMode, words: string])[] = [
  ['SOT', 'before'],
  ['EOT', 'after'],
  ['Edge', 'before and after'],
  ['Continuous', 'all the time'],
  ['OnChaos', 'during the chaos'],
];

/** Which probes of the project a step has, each with when it is tried. */
export function ProbeFields({
  project,
  probes,
  onChange,
}: {
  readonly project: string;
  readonly probes: Step['probes'];
  onChange(probes: Step['probes']): void;
}): ReactElement | null {
  const view = useAsk(PROBES, { projectID: project }, ({ listProbes }) => listProbes.length === 0);
  if (view.state === 'loading') return null;
  if (view.state === 'empty') return <p className="hint">The project has no probe that could be added.</p>;
  if (!('data' in view)) {
    return (
      <StateView view={view} what="the probes" empty={null}>
        {() => null}
      </StateView>
    );
  }
  const choose = (name: string, mode: string): void => {
    const others = probes.filter((probe) => probe.name !== name);
    onChange(mode === '' ? others : [...others, { name, mode: mode as ProbeMode }]);
  };
  return (
    <>
      {view.data.listProbes.map((probe) =>
        probe === null ? null : (
          <Field key={probe.name} label={`Probe ${probe.name}`}>
            <select
              value={probes.find(({ name }) => name === probe.name)?.mode ?? ''}
              onChange={({ target }) => choose(probe.name, target.value)}
            >
              <option value="">not tried</option>
              {MODES.map(([mode, words]) => (
                <option key={mode} value={mode}>
                  {words}
                </option>
              ))}
            </select>
          </Field>
        ),
      )}
    </>
  );
}

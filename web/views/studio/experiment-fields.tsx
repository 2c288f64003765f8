import type { ReactElement } from 'react';
import type { Draft } from '../../models/studio/draft.ts';
import { useAsk } from '../use-ask.ts';
import { Field, TextInput } from './field.tsx';
import { PLACES } from './studio-query.ts';

/** What an experiment is called, where it runs and when. */
export function ExperimentFields({
  project,
  draft,
  problemOf,
  onChange,
}: {
  readonly project: string;
  readonly draft: Draft;
  problemOf(field: string): string | undefined;
  onChange(draft: Draft): void;
}): ReactElement {
  const view = useAsk(PLACES, { projectID: project }, () => false);
  const infras = 'data' in view ? view.data.listInfras.infras.filter((infra) => infra !== null) : [];
  const choose = (infraID: string): void => {
    const agentNamespace = infras.find((infra) => infra.infraID === infraID)?.infraNamespace || 'litmus';
    onChange({ ...draft, infraID, agentNamespace });
  };
  const text = (label: string, field: 'name' | 'description' | 'cron' | 'timezone'): ReactElement => (
    <TextInput
      label={label}
      value={draft[field]}
      problem={problemOf(field)}
      onChange={(value) => onChange({ ...draft, [field]: value })}
    />
  );
  return (
    <div className="form">
      {text('Name', 'name')}
      {text('What it is to show', 'description')}
      <Field label="Infrastructure" problem={problemOf('infraID')}>
        <select value={draft.infraID} onChange={({ target }) => choose(target.value)}>
          <option value="">not chosen</option>
          {infras.map(({ infraID, name, isActive }) => (
            <option key={infraID} value={infraID}>
              {isActive ? name : `${name} (away)`}
            </option>
          ))}
        </select>
      </Field>
      {text('Schedule as cron, empty for on demand', 'cron')}
      {text('Time zone of the schedule', 'timezone')}
    </div>
  );
}

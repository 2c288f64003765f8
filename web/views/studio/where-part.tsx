import type { ReactElement } from 'react';
import { changeStep } from '../../models/studio/steps.ts';
import { useAsk } from '../use-ask.ts';
import { SelectInput } from './field.tsx';
import { PLACES } from './generated/studio.ts';
import { type PartProps, problemAt, type StepPartProps } from './part-props.ts';
import { TargetFields } from './target-fields.tsx';

/** Where an experiment runs. */
export function InfraField({
  project,
  infraID,
  problem,
  onChange,
}: {
  readonly project: string;
  readonly infraID: string;
  readonly problem: string | undefined;
  onChange(infraID: string, agentNamespace: string): void;
}): ReactElement {
  const view = useAsk(PLACES, { projectID: project });
  const infras = 'data' in view ? view.data.listInfras.infras.filter((infra) => infra !== null) : [];
  return (
    <div className="form">
      <SelectInput
        label="Infrastructure"
        value={infraID}
        problem={problem}
        choices={[
          ['', 'not chosen'],
          ...infras.map((infra): [string, string] => [
            infra.infraID,
            infra.isActive ? infra.name : `${infra.name} (away)`,
          ]),
        ]}
        onChange={(id) =>
          onChange(id, infras.find((infra) => infra.infraID === id)?.infraNamespace || 'litmus')
        }
      />
    </div>
  );
}

/** The infrastructure of a draft. */
export function DraftInfra({ project, draft, problems, onChange }: PartProps): ReactElement {
  return (
    <InfraField
      project={project}
      infraID={draft.infraID}
      problem={problemAt(problems, 'infraID')}
      onChange={(infraID, agentNamespace) =>
        onChange((before) => ({
          ...before,
          infraID,
          agentNamespace: infraID === '' ? before.agentNamespace : agentNamespace,
        }))
      }
    />
  );
}

/** The target of a step. */
export function WherePart({ draft, step, shown, problems, book, onChange }: StepPartProps): ReactElement {
  const known = book?.faults[step.fault.name];
  if (!step.fault.hasTarget) {
    return (
      <p className="hint">
        {known?.targets === 'node' || known?.targets === 'nodes'
          ? `${step.fault.name} hits nodes; which ones is among its settings (TARGET_NODES, NODE_LABEL).`
          : `${step.fault.name} has no application as its target.`}
      </p>
    );
  }
  return (
    <TargetFields
      key={step.name}
      infra={draft.infraID}
      step={step}
      hitsPods={known === undefined || known.targets === 'pods' || known.targets === 'containers'}
      parameters={shown.parameters}
      problemOf={(field) => problemAt(problems, field, step.name)}
      onChange={(target) => onChange((before) => changeStep(before, step.name, { target }))}
    />
  );
}

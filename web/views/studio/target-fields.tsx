import type { ReactElement } from 'react';
import type { Step, Target } from '../../models/studio/draft.ts';
import { countWith, labelOf, labelsOf } from '../../models/studio/live-target.ts';
import { podsHit, podsHitWords } from '../../models/studio/pods-hit.ts';
import { withoutTags } from '../../models/studio/read-draft.ts';
import { Button } from '../../parts/button/button.tsx';
import { SelectInput, TextInput } from './field.tsx';
import { type LiveCluster, useLiveCluster } from './use-live-cluster.ts';

const KINDS = ['deployment', 'statefulset', 'daemonset', 'rollout', 'deploymentconfig'] as const;

/** The target of a fault, with suggestions from the cluster; any text is possible, also while the agent is offline. */
export function TargetFields({
  infra,
  step,
  hitsPods,
  parameters,
  problemOf,
  onChange,
}: {
  readonly infra: string;
  readonly step: Step;
  /** Whether the fault hits pods, so that they can be counted. */
  readonly hitsPods: boolean;
  readonly parameters: ReadonlyMap<string, string>;
  problemOf(field: string): string | undefined;
  onChange(target: Target): void;
}): ReactElement {
  const { target } = step;
  const meant: Target = {
    namespace: withoutTags(target.namespace, parameters),
    kind: withoutTags(target.kind, parameters),
    label: withoutTags(target.label, parameters),
  };
  const live = useLiveCluster(infra, meant);
  const standsFor = (field: keyof Target): string | undefined =>
    meant[field] === target[field] ? undefined : `Stands for ${meant[field]}, a parameter of the workflow.`;
  return (
    <>
      <div className="form">
        <TextInput
          label="Namespace"
          value={target.namespace}
          choices={live.namespaces}
          problem={problemOf('namespace')}
          help={standsFor('namespace')}
          onChange={(namespace) => onChange({ ...target, namespace })}
        />
        <SelectInput
          label="Kind"
          value={target.kind}
          choices={KINDS.map((kind) => [kind, kind])}
          help={standsFor('kind')}
          onChange={(kind) => onChange({ ...target, kind })}
        />
        <Workloads live={live} meant={meant} target={target} onChange={onChange} />
        <TextInput
          label="Label of its pods"
          value={target.label}
          placeholder="app=web"
          choices={labelsOf(live.pods)}
          problem={problemOf('label')}
          help={standsFor('label')}
          onChange={(label) => onChange({ ...target, label })}
        />
      </div>
      <p className="hint" role="status">
        {wordsOf(live, meant, hitsPods ? step : undefined)}{' '}
        {live.state === 'listed' || live.state === 'away' ? (
          <Button look="link" label="Look again" onClick={live.again} />
        ) : null}
      </p>
    </>
  );
}

/** The workloads of a namespace; selecting one sets the label of its pods. */
function Workloads({
  live,
  meant,
  target,
  onChange,
}: {
  readonly live: LiveCluster;
  readonly meant: Target;
  readonly target: Target;
  onChange(target: Target): void;
}): ReactElement | null {
  if (live.workloads.length === 0) return null;
  const labels = live.workloads.map(
    (workload) => [workload.name, labelOf(workload, live.pods) ?? ''] as const,
  );
  const present = labels.find(([, label]) => label === meant.label)?.[0] ?? '';
  return (
    <SelectInput
      label={`Which ${meant.kind}`}
      value={present}
      choices={[
        ['', 'chosen by the label'],
        ...labels.map(([name, label]): [string, string] => [name, label === '' ? `${name} (no pods)` : name]),
      ]}
      onChange={(name) => {
        const label = labels.find(([one]) => one === name)?.[1] ?? '';
        if (label !== '') onChange({ ...target, label });
      }}
    />
  );
}

function wordsOf(live: LiveCluster, { label }: Target, step: Step | undefined): string {
  switch (live.state) {
    case 'nowhere':
      return 'Choose where it runs, and the namespaces, workloads and labels of that cluster are offered here.';
    case 'asking':
      return 'Asking the agent what the cluster has…';
    case 'away':
      return 'The agent of the infrastructure is offline, so the cluster cannot be listed: type the values.';
    case 'refused':
      return `The cluster cannot be listed: ${live.message}. Type the values.`;
    case 'listed': {
      if (step === undefined) return '';
      if (label === '') return `The namespace has ${live.pods.length} pods.`;
      const matching = countWith(label, live.pods);
      return podsHitWords(podsHit(step, matching), matching);
    }
  }
}

import { type ReactElement, useId } from 'react';
import { Link } from 'wouter';
import type { StudioAddress } from '../../address/studio.ts';
import { nameFor } from '../../models/studio/check-words.ts';
import { deedOf } from '../../models/studio/deed.ts';
import type { Draft, Step } from '../../models/studio/draft.ts';
import { labelOf } from '../../models/studio/live-target.ts';
import { changeStep, withSetting } from '../../models/studio/steps.ts';
import { useAsk } from '../use-ask.ts';
import { PLACES } from './generated/studio.ts';
import type { PartProps } from './part-props.ts';
import { SentenceCheck } from './sentence-check.tsx';
import { useLiveCluster } from './use-live-cluster.ts';

type Props = Pick<PartProps, 'project' | 'draft' | 'shown' | 'book' | 'onChange'> & {
  linkTo(changes: Partial<StudioAddress>): string;
};

/** An experiment with one fault as a sentence with fields, and its check; nothing for any other. */
export function Sentence(props: Props): ReactElement | null {
  const { draft, book, shown } = props;
  const deed = deedOf(draft.steps, book);
  const [step] = draft.steps;
  if (deed === undefined || step === undefined) return null;
  const own = shown.ownProbes.get(step.name) ?? 0;
  return (
    <section className="sentence" aria-label="The experiment as a sentence">
      <p>
        {deed.begin} <Share {...props} step={step} /> of the pods of <Workload {...props} step={step} /> on{' '}
        <Place {...props} />,{' '}
        {deed.isRepeated ? (
          <>
            every <Seconds {...props} step={step} name="CHAOS_INTERVAL" label="Seconds from round to round" />{' '}
            s{' '}
          </>
        ) : null}
        for <Seconds {...props} step={step} name="TOTAL_CHAOS_DURATION" label="Seconds of chaos" /> s
        <SentenceCheck {...props} step={step} own={own} />
      </p>
      {step.probes.length + own === 0 ? (
        <p className="hint" role="status">
          Nothing is checked: a run without a check can only fail by an error.{' '}
          <Link href={props.linkTo({ part: 'checks' })}>All kinds of checks</Link>
        </p>
      ) : null}
    </section>
  );
}

type StepProps = Props & { readonly step: Step };

/** The share of the pods; 0 is one pod. */
function Share({ step, onChange }: StepProps): ReactElement {
  const value = step.settings.PODS_AFFECTED_PERC ?? '';
  const change = (next: string): void =>
    onChange((before) => withSetting(before, step.name, 'PODS_AFFECTED_PERC', next));
  const choices = ['33', '50', '66', '100'];
  const isOne = value === '' || value === '0';
  return (
    <select
      aria-label="How many pods"
      value={isOne ? '0' : value}
      onChange={({ target }) => change(target.value)}
    >
      <option value="0">one</option>
      {[...new Set(isOne ? choices : [...choices, value])].map((share) => (
        <option key={share} value={share}>
          {share === '100' ? 'all' : `${share} %`}
        </option>
      ))}
    </select>
  );
}

/** The workload, from those of the cluster; its label as text while they are not known. */
function Workload({ step, draft, shown, onChange }: StepProps): ReactElement {
  const { target } = step;
  const live = useLiveCluster(draft.infraID, target);
  const labels = live.workloads.map(
    ({ name, labels: own }) => [name, labelOf({ name, labels: own }, live.pods) ?? ''] as const,
  );
  const chosen = labels.find(([, label]) => label !== '' && label === target.label)?.[0];
  const change = (changes: Partial<Step['target']>): void =>
    onChange((before) => changeStep(before, step.name, { target: { ...target, ...changes } }));
  const spaces = useId();
  return (
    <>
      {labels.length === 0 ? (
        <input
          aria-label="Pods with the label"
          value={target.label}
          placeholder="app=web"
          size={Math.max(8, target.label.length)}
          onChange={({ target: { value } }) => change({ label: value })}
        />
      ) : (
        <select
          aria-label={`The ${target.kind} that is hit`}
          value={chosen ?? ''}
          onChange={({ target: { value } }) => {
            const label = labels.find(([name]) => name === value)?.[1] ?? '';
            if (label === '') return;
            onChange((before) =>
              changeStep({ ...before, name: before.name || nameFor(value, step.fault.name) }, step.name, {
                target: { ...target, label },
              }),
            );
          }}
        >
          {chosen === undefined ? <option value="">{target.label || 'choose one'}</option> : null}
          {labels.map(([name, label]) => (
            <option key={name} value={name} disabled={label === ''}>
              {label === '' ? `${name} (no pods)` : name}
            </option>
          ))}
        </select>
      )}{' '}
      in{' '}
      <input
        aria-label="Its space in the cluster"
        value={target.namespace}
        list={spaces}
        size={Math.max(6, target.namespace.length)}
        autoComplete="off"
        onChange={({ target: { value } }) => change({ namespace: value })}
      />
      <datalist id={spaces}>
        {live.namespaces.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {shown.parameters.size > 0 && target.label.includes('{{') ? ' (a parameter of the workflow)' : null}
    </>
  );
}

/** The cluster. */
function Place({ project, draft, onChange }: Props): ReactElement {
  const view = useAsk(PLACES, { projectID: project });
  const infras = 'data' in view ? view.data.listInfras.infras.filter((infra) => infra !== null) : [];
  const choose = (id: string): void =>
    onChange((before): Draft => {
      const namespace = infras.find(({ infraID }) => infraID === id)?.infraNamespace || before.agentNamespace;
      return { ...before, infraID: id, agentNamespace: namespace };
    });
  return (
    <select
      aria-label="Cluster that it runs on"
      value={draft.infraID}
      onChange={({ target }) => choose(target.value)}
    >
      {draft.infraID === '' ? <option value="">choose a cluster</option> : null}
      {infras.map(({ infraID, name, isActive }) => (
        <option key={infraID} value={infraID}>
          {isActive ? name : `${name} (away)`}
        </option>
      ))}
    </select>
  );
}

function Seconds({
  step,
  name,
  label,
  onChange,
}: StepProps & { readonly name: string; readonly label: string }): ReactElement {
  const value = step.settings[name] ?? '';
  return (
    <input
      aria-label={label}
      inputMode="numeric"
      value={value}
      placeholder={step.fault.defaults.get(name) ?? ''}
      size={Math.max(3, value.length)}
      onChange={({ target }) => onChange((before) => withSetting(before, step.name, name, target.value))}
    />
  );
}

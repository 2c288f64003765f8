import type { ReactElement } from 'react';
import type { PlanFinding, PlannedExperiment } from '../../../src/controlplane/schema/generated/types.ts';
import { budgetWords, findingGroups, nodesWords, roundsWords, shareWords } from '../../models/studio/plan.ts';

/** One fault of a plan: the times of its rounds, their share of each workload, and the first targets. */
export function PlannedFault({ experiment }: { readonly experiment: PlannedExperiment }): ReactElement {
  const { step, fault, workloads, budgets, nodes, targets, targetCount } = experiment;
  const onNodes = nodesWords(nodes);
  return (
    <section className="plan-fault" aria-label={`${step ?? fault} as planned`}>
      <h3>
        <bdi>{step ?? fault}</bdi>
      </h3>
      <ul className="plan-lines">
        <li>{roundsWords(experiment)}</li>
        {workloads.map((workload) => (
          <li key={`${workload.kind} ${workload.namespace}/${workload.name}`}>
            <bdi>{shareWords(workload)}</bdi>
            <Share percent={workload.percent} />
          </li>
        ))}
        {onNodes === undefined ? null : <li>{onNodes}</li>}
        {budgets.map((budget) => (
          <li key={`${budget.namespace}/${budget.name}`} data-tone={budget.violated ? 'warning' : undefined}>
            <bdi>{budgetWords(budget)}</bdi>
          </li>
        ))}
      </ul>
      {targetCount === 0 ? null : (
        <details>
          <summary>
            {targetCount === 1
              ? 'What the first round hits'
              : `The ${targetCount} targets of the first round`}
          </summary>
          <ul className="plan-lines">
            {targets.map(({ kind, namespace, name, node, container }) => (
              <li key={`${kind} ${namespace}/${name} ${container}`}>
                <bdi>
                  {kind} {namespace === '' ? name : `${namespace}/${name}`}
                  {container === null ? '' : `, container ${container}`}
                  {node === null ? '' : ` on ${node}`}
                </bdi>
              </li>
            ))}
            {targetCount > targets.length ? <li>and {targetCount - targets.length} more</li> : null}
          </ul>
          <p className="hint">Later rounds choose again.</p>
        </details>
      )}
    </section>
  );
}

/** The share of a workload, as a bar. */
function Share({ percent }: { readonly percent: number | null }): ReactElement | null {
  return percent === null ? null : <progress max={100} value={percent} aria-hidden="true" />;
}

/** What speaks against a run, by severity, each with what to do. */
export function PlanFindings({ findings }: { readonly findings: readonly PlanFinding[] }): ReactElement {
  return (
    <>
      {findingGroups(findings).map(({ severity, title, tone, findings: found }) => (
        <section key={severity} className="plan-findings" data-tone={tone} aria-label={title}>
          <h3>
            {title}: {found.length}
          </h3>
          <ul>
            {found.map((finding) => (
              <Finding key={`${finding.object} ${finding.field} ${finding.text}`} finding={finding} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** A sentence with commands in backticks. */
function withCode(sentence: string): ReactElement[] {
  return sentence.split('`').map((part, place) => {
    const key = `${place} ${part}`;
    return place % 2 === 1 ? <code key={key}>{part}</code> : <span key={key}>{part}</span>;
  });
}

function Finding({
  finding: { code, text, advice, object, field },
}: {
  readonly finding: PlanFinding;
}): ReactElement {
  const place = [object, field].filter((part) => part !== null).join(', ');
  return (
    <li>
      <bdi>{text}</bdi>
      {advice === null ? null : <p className="plan-advice">What to do: {withCode(advice)}</p>}
      {place === '' && code === null ? null : (
        <p className="hint">
          <bdi>{place}</bdi>
          {code === null ? null : <code> {code}</code>}
        </p>
      )}
    </li>
  );
}

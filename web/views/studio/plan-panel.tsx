import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactElement, useEffect } from 'react';
import type { ManifestPlan } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import type { ApiProblem } from '../../api/problem.ts';
import { permissionWords, planSentence, whyNotRun } from '../../models/studio/plan.ts';
import { Button } from '../../parts/button/button.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { PLAN } from './generated/plan.ts';
import { PlanFindings, PlannedFault } from './plan-parts.tsx';
import { useSettled } from './use-settled.ts';
import './plan.css';

/** Delay after typing, longer than pauses in typing. */
const SETTLED_MS = 600;

/**
 * The plan of a manifest, requested again when it changes: what each round would hit, how much of each workload that is, and
 * what speaks against it. It says so if it is not about the current manifest.
 */
export function PlanPanel({
  project: projectID,
  infraID,
  manifest,
  onSeen,
}: {
  readonly project: string;
  /** Empty until one is selected. */
  readonly infraID: string;
  /** YAML or JSON; undefined until the experiment is complete enough for a plan. */
  readonly manifest: string | undefined;
  /**
   * Called with the manifest of the shown plan, and why a run of it would be refused, if it would; with undefined while none is shown, or one of
   * another manifest. Pass a stable function.
   */
  onSeen?(manifest: string | undefined, whyNot: string | undefined): void;
}): ReactElement {
  const settled = useSettled(manifest, SETTLED_MS);
  const isReady = infraID !== '' && settled !== undefined;
  const query = useQuery<{ readonly planManifest: ManifestPlan }, ApiProblem>({
    queryKey: [PLAN.text, projectID, infraID, settled],
    queryFn: ({ signal }) => ask(PLAN, { projectID, infraID, manifest: settled ?? '' }, signal),
    enabled: isReady,
    placeholderData: keepPreviousData,
    retry: false,
    // The cluster changes independently of the page, so showing a plan again requests it again.
    staleTime: 10_000,
  });
  const { data, error, isPlaceholderData } = query;
  const isOf = isReady && settled === manifest && data !== undefined && !isPlaceholderData && error === null;
  const seen = isOf ? manifest : undefined;
  const whyNot = isOf ? whyNotRun(data.planManifest) : undefined;
  useEffect(() => onSeen?.(seen, whyNot), [onSeen, seen, whyNot]);
  return (
    <section className="plan" aria-label="What a run would do" aria-busy={query.isFetching}>
      <h2>What a run would do</h2>
      {!isReady ? (
        <p className="hint">
          {infraID === ''
            ? 'Choose an infrastructure to see what a run would do there.'
            : 'Complete the experiment to see what a run of it would do.'}
        </p>
      ) : error !== null ? (
        <Notice
          title="It cannot be planned"
          text={`This is why: ${error.message}.`}
          action={{ label: 'Plan again', do: () => void query.refetch() }}
        />
      ) : data === undefined ? (
        <p className="hint" role="status">
          The agent of the cluster plans it…
        </p>
      ) : (
        <div className={isOf ? undefined : 'stale'}>
          <ShownPlan plan={data.planManifest} isOf={isOf} onAgain={() => void query.refetch()} />
        </div>
      )}
    </section>
  );
}

/** A plan: what is hit, what is missing, what speaks against it. */
function ShownPlan({
  plan,
  isOf,
  onAgain,
}: {
  readonly plan: ManifestPlan;
  /** Whether it is about the current manifest. */
  readonly isOf: boolean;
  onAgain(): void;
}): ReactElement {
  return (
    <>
      <p className="plan-sentence" role="status">
        {isOf ? planSentence(plan) : 'The experiment has changed; it is being planned again.'}
      </p>
      {plan.experiments.map((experiment) => (
        <PlannedFault
          key={`${experiment.step} ${experiment.engine} ${experiment.experiment}`}
          experiment={experiment}
        />
      ))}
      {plan.experiments.length === 0 ? null : (
        <ul className="plan-lines plan-permissions" aria-label="Permissions">
          {permissionWords(plan).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <PlanFindings findings={plan.findings} />
      {plan.leftOut === 0 ? null : (
        <p className="hint">
          {plan.leftOut} more entries are left out; <code>turnsole plan</code> shows all of them.
        </p>
      )}
      <p className="hint">
        Planned for the current state of the cluster; a run checks again.{' '}
        <Button look="link" label="Plan again" onClick={onAgain} />
      </p>
    </>
  );
}

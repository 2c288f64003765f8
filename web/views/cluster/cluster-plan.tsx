import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parse } from 'yaml';
import type { ManifestPlan } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import type { ApiProblem } from '../../api/problem.ts';
import { begunAgain } from '../../models/run/begin-again.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { PLAN_ON_CLUSTER } from '../studio/generated/plan.ts';
import { ShownPlan } from '../studio/plan-panel.tsx';

/** The plan of an engine or a workflow of the cluster if it started again now. Loaded when it is shown, and on request. */
export function ClusterPlan({
  manifest,
  namespace,
}: {
  readonly manifest: string;
  readonly namespace: string;
}): ReactElement {
  const query = useQuery<{ readonly planOnCluster: ManifestPlan }, ApiProblem>({
    // The manifest changes with each step of a run; its plan does not.
    queryKey: [PLAN_ON_CLUSTER.text, namespace],
    queryFn: ({ signal }) => {
      const again = JSON.stringify(begunAgain(parse(manifest)));
      return ask(PLAN_ON_CLUSTER, { manifest: again, namespace }, signal);
    },
    retry: false,
    staleTime: 10_000,
    gcTime: 0,
  });
  const { data, error } = query;
  const planAgain = (): void => void query.refetch();
  return (
    <section className="plan" aria-label="What it would do now" aria-busy={query.isFetching}>
      <p className="hint">What it would do if it started again now.</p>
      {error !== null ? (
        <Notice
          title="It cannot be planned"
          text={`This is why: ${error.message}.`}
          action={{ label: 'Plan again', do: planAgain }}
        />
      ) : data === undefined ? (
        <div className="waiting" role="status" aria-label="It is being planned" />
      ) : (
        <ShownPlan plan={data.planOnCluster} isOf onAgain={planAgain} />
      )}
    </section>
  );
}

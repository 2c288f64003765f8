import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunMetrics } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import type { ApiProblem } from '../../api/problem.ts';
import { metricLanes } from '../../models/run/metric-lanes.ts';
import { RUN_METRICS } from './metrics-query.ts';
import type { ShownRun } from './run-query.ts';

/**
 * How often metrics are asked for while there may be new ones. A Prometheus scrapes about that often, and tells nobody that it has: of all
 * that the page shows this is the one thing that cannot be awaited.
 */
const EVERY_MS = 15_000;

/** The metrics of a run for its page. */
export interface ShownMetrics extends ReturnType<typeof metricLanes> {
  /** What keeps all of them from being shown, or from being up to date. */
  readonly problem: string | undefined;
  readonly isAsking: boolean;
  again(): void;
}

/**
 * Asks for the metrics of a run, where its infrastructure has a Prometheus: once, and again while the time that is asked for is not over. While
 * the page is hidden nothing is asked. Undefined where there is no Prometheus.
 */
export function useMetrics(project: string, run: ShownRun, isRunning: boolean): ShownMetrics | undefined {
  const variables = { projectID: project, runID: run.experimentRunID };
  const isSet = Boolean(run.infra.metrics) && run.experimentRunID !== '';
  const query = useQuery<{ readonly getRunMetrics: RunMetrics | null }, ApiProblem>({
    queryKey: [RUN_METRICS.text, variables],
    queryFn: ({ signal }) => ask(RUN_METRICS, variables, signal),
    enabled: isSet,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      (state.data === undefined ? isRunning : state.data.getRunMetrics?.isFinal === false) && EVERY_MS,
    refetchIntervalInBackground: false,
  });
  const metrics = query.data?.getRunMetrics;
  const shown = useMemo(() => (metrics ? metricLanes(metrics) : { lanes: [], notes: [] }), [metrics]);
  if (!isSet) return undefined;
  return {
    ...shown,
    problem: query.error?.message ?? metrics?.problem ?? undefined,
    isAsking: query.isFetching && query.data === undefined,
    again: () => void query.refetch(),
  };
}

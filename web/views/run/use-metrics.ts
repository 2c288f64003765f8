import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunMetrics } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import type { ApiProblem } from '../../api/problem.ts';
import { metricLanes } from '../../models/run/metric-lanes.ts';
import { RUN_METRICS } from './generated/metrics.ts';
import type { ShownRun } from './generated/run.ts';

/**
 * Poll interval while there may be new metrics. A Prometheus scrapes about that often, and has no way to announce new values: this is the
 * only data of the page that has to be polled.
 */
const EVERY_MS = 15_000;

/** The metrics of a run for its page. */
export interface ShownMetrics extends ReturnType<typeof metricLanes> {
  /** Why none are shown, or why they are out of date. */
  readonly problem: string | undefined;
  readonly isAsking: boolean;
  again(): void;
}

/**
 * Requests the metrics of a run if its infrastructure has a Prometheus: once, and repeatedly until the time range is over. Requests nothing
 * while the page is hidden. Undefined without a Prometheus.
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

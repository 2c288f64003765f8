import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useDeferredValue, useState } from 'react';
import { useLocation } from 'wouter';
import { experimentPath, hubPath, listPath, probePath, runPath, settingsPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import type { OperationName } from '../../models/access/may.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { Palette, type PaletteItem } from '../../parts/palette/palette.tsx';
import { RUN_EXPERIMENT } from '../experiments/generated/experiments.ts';
import { PAGES } from '../frame/project-pages.ts';
import { STOP } from '../run/generated/run.ts';
import { SETTINGS } from '../settings/parts.ts';
import { usePermissions } from '../use-permissions.ts';
import type { Asked } from './asked.ts';
import { COMMON_ITEMS } from './common-items.ts';
import { FINDINGS, type FindingsQuery } from './generated/palette.ts';

/** Phases in which a run can be stopped. */
const AT_WORK = ['Queued', 'Pending', 'Running'];

/** Callbacks for the items of a project. */
interface Ways {
  readonly project: string;
  /** Whether the reader may call an operation; other actions are not listed. */
  may(operation: OperationName): boolean;
  go(path: string): void;
  ask(asked: Asked): void;
  /** Called after an action. */
  onDone(): void;
}

/** The pages, objects and actions of a project, by name. */
export function ProjectPalette({
  project,
  onAsk,
  onClose,
}: {
  readonly project: string;
  onAsk(asked: Asked): void;
  onClose(): void;
}): ReactElement {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  // Searches for the last word; earlier words may name the action.
  const name = useDeferredValue(typed.trim().split(/\s+/).at(-1) ?? '');
  const query = useQuery({
    queryKey: ['palette', project, name],
    queryFn: ({ signal }) => ask(FINDINGS, { projectID: project, name }, signal),
    placeholderData: keepPreviousData,
  });
  const may = usePermissions(project);
  const ways: Ways = { project, may, go, ask: onAsk, onDone: () => void queries.invalidateQueries() };
  const found = query.data === undefined ? [] : objectsOf(query.data, ways);
  return (
    <Palette
      items={[...pagesOf(ways), ...found, ...COMMON_ITEMS]}
      isComplete={!query.isFetching}
      onType={setTyped}
      onClose={onClose}
    />
  );
}

function pagesOf({ project, may, go }: Ways): PaletteItem[] {
  const studio = ['Create an experiment', listPath(project, 'studio')] as const;
  return [
    ...PAGES.map(([list, label]) => [label, listPath(project, list)] as const),
    ['Did we get better?', listPath(project, 'trends')] as const,
    ...(may('saveChaosExperiment') ? [studio] : []),
    ...SETTINGS.map(([part, label]) => [label, settingsPath(project, part)] as const),
  ].map(([label, path]) => ({ id: path, kind: 'Page', label, act: () => go(path) }));
}

function objectsOf(found: FindingsQuery, ways: Ways): PaletteItem[] {
  const { project, go } = ways;
  const named = (kind: string, label: string, path: string): PaletteItem => ({
    ...{ id: `${kind} ${path} ${label}`, kind, label, words: kind },
    act: () => go(path),
  });
  return [
    ...there(found.listExperimentRun.experimentRuns).flatMap((run) => runItems(run, ways)),
    ...there(found.listExperiment.experiments).flatMap((experiment) => experimentItems(experiment, ways)),
    ...there(found.listInfras.infras).map(({ name, infraID }) =>
      named(
        'Infrastructure',
        name,
        `${listPath(project, 'runs')}?${new URLSearchParams({ infra: infraID, v: '1' })}`,
      ),
    ),
    ...there(found.listChaosHub).map(({ id, name }) => named('Hub', name, hubPath(project, id))),
    ...there(found.listProbes).map(({ name }) => named('Probe', name, probePath(project, name))),
  ];
}

function experimentItems(
  { experimentID, name, infra }: NonNullable<FindingsQuery['listExperiment']['experiments'][number]>,
  { project: projectID, may, go, ask: onAsk, onDone }: Ways,
): PaletteItem[] {
  const visit: PaletteItem = {
    ...{ id: `experiment ${experimentID}`, kind: 'Experiment', label: name },
    act: () => go(experimentPath(projectID, experimentID)),
  };
  const start: PaletteItem = {
    ...{ id: `start ${experimentID}`, kind: 'Do', label: `Run ${name}`, words: 'start' },
    act: () =>
      onAsk({
        ...{ title: `Run ${name} now?`, confirm: 'Run now' },
        text: `It hits what its manifest names in ${infra?.name ?? 'its infrastructure'}, at once. It can be aborted at any time, which reverts it.`,
        run: () => ask(RUN_EXPERIMENT, { projectID, experimentID }),
        onDone: () => {
          onDone();
          go(listPath(projectID, 'runs'));
        },
      }),
  };
  return may('runChaosExperiment') ? [visit, start] : [visit];
}

function runItems(
  run: NonNullable<FindingsQuery['listExperimentRun']['experimentRuns'][number]>,
  { project: projectID, may, go, ask: onAsk, onDone }: Ways,
): PaletteItem[] {
  const { experimentID, experimentRunID: runID, experimentName, runSequence, phase } = run;
  const label = `${experimentName} · ${runSequence}`;
  // The run's ID is unknown before its agent reports it.
  if (runID === '') return [];
  const visit: PaletteItem = {
    ...{ id: `run ${runID}`, kind: `Run, ${stateWords(phase).word}`, label, words: 'run' },
    act: () => go(runPath(projectID, runID)),
  };
  if (!AT_WORK.includes(phase) || !may('stopExperimentRuns')) return [visit];
  const stop: PaletteItem = {
    ...{ id: `stop ${runID}`, kind: 'Do', label: `Stop ${label}`, words: 'abort revert' },
    act: () =>
      onAsk({
        ...{ title: `Stop ${label}?`, confirm: 'Abort and revert' },
        text: 'Faults in force are reverted, and no further step begins.',
        run: () => ask(STOP, { projectID, experimentID, runID }),
        onDone,
      }),
  };
  return [visit, stop];
}

function there<Item>(items: readonly (Item | null)[]): Item[] {
  return items.filter((item) => item !== null);
}

import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { ROUTES, runPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { Palette, type PaletteItem } from '../../parts/palette/palette.tsx';
import type { ShownObject } from '../cluster/generated/cluster.ts';
import { useClusterObjects } from '../cluster/use-cluster.ts';
import { useShownProject } from '../frame/use-projects.ts';
import { STOP } from '../run/generated/run.ts';
import type { Asked } from './asked.ts';
import { COMMON_ITEMS } from './common-items.ts';

/** Kinds that can be stopped. */
const STOPPABLE = ['ChaosEngine', 'Workflow'];

/** The objects of the cluster that the server watches, by name. */
export function ClusterPalette({
  onAsk,
  onClose,
}: {
  onAsk(asked: Asked): void;
  onClose(): void;
}): ReactElement {
  const [, go] = useLocation();
  const [, setTyped] = useState('');
  const project = useShownProject(undefined) ?? '';
  const { view } = useClusterObjects();
  const objects = knownData(view)?.objects ?? [];
  const items = [
    { id: 'cluster', kind: 'Page', label: 'Cluster', act: () => go(ROUTES.cluster) },
    ...objects.flatMap((object) => itemsOf(project, object, go, onAsk)),
    ...COMMON_ITEMS,
  ];
  return <Palette items={items} isComplete={view.state !== 'loading'} onType={setTyped} onClose={onClose} />;
}

function itemsOf(
  project: string,
  object: ShownObject,
  go: (path: string) => void,
  onAsk: (asked: Asked) => void,
): PaletteItem[] {
  const { id, kind, namespace, name, faults } = object;
  const label = `${namespace}/${name}`;
  const state = stateWords(object.state).word;
  const visit = {
    ...{ id, kind: `${kind}, ${state}`, label, words: `${kind} ${faults.join(' ')}` },
    act: () => go(runPath(project, id)),
  };
  if (!STOPPABLE.includes(kind) || object.finishedAt !== null) return [visit];
  const stop = {
    ...{ id: `stop ${id}`, kind: 'Do', label: `Stop ${label}`, words: 'abort revert' },
    act: () =>
      onAsk({
        ...{ title: `Stop ${label}?`, confirm: 'Abort and revert' },
        text: 'What is in force is reverted, then it ends.',
        run: () => ask(STOP, { projectID: project, experimentID: id, runID: id }),
        onDone: () => undefined,
      }),
  };
  return [visit, stop];
}

import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import { clusterRunPath, ROUTES } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { Palette, type PaletteItem } from '../../parts/palette/palette.tsx';
import { ABORT, type ShownObject } from '../cluster/generated/cluster.ts';
import { useClusterObjects } from '../cluster/use-cluster.ts';
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
  const { view } = useClusterObjects();
  const objects = view.state === 'shown' ? view.data.objects : [];
  const items = [
    { id: 'cluster', kind: 'Page', label: 'Cluster', act: () => go(ROUTES.cluster) },
    ...objects.flatMap((object) => itemsOf(object, go, onAsk)),
    ...COMMON_ITEMS,
  ];
  return <Palette items={items} isComplete={view.state !== 'loading'} onType={setTyped} onClose={onClose} />;
}

function itemsOf(
  object: ShownObject,
  go: (path: string) => void,
  onAsk: (asked: Asked) => void,
): PaletteItem[] {
  const { id, kind, namespace, name, faults } = object;
  const label = `${namespace}/${name}`;
  const state = stateWords(object.state).word;
  const visit = {
    ...{ id, kind: `${kind}, ${state}`, label, words: `${kind} ${faults.join(' ')}` },
    act: () => go(clusterRunPath(object)),
  };
  if (!STOPPABLE.includes(kind) || object.finishedAt !== null) return [visit];
  const stop = {
    ...{ id: `stop ${id}`, kind: 'Do', label: `Stop ${label}`, words: 'abort revert' },
    act: () =>
      onAsk({
        ...{ title: `Stop ${label}?`, confirm: 'Abort and revert' },
        text: 'What is in force is reverted, then it ends.',
        run: () => ask(ABORT, { kind, namespace, name }),
        onDone: () => undefined,
      }),
  };
  return [visit, stop];
}

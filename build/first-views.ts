/** What first views may cost, with nothing in the browser's cache: the one table that the build and `test/web/first-view-cost.test.ts` hold them to. */
import type { ROUTES } from '../web/address/routes.ts';

type Route = keyof typeof ROUTES;

/**
 * Most that a first view may cost as a browser sees it: the document, its files, answers of the API and the connection for changes, with the heads of
 * answers. It is at once there on a slow line as well, whether there are no runs or thousands.
 */
export const MOST_OF_A_VIEW = { requests: 22, bytes: 165_000 } as const;

/**
 * The studio has more to load before it shows an experiment: what reads YAML, the settings of all faults, and, for one that its form cannot show, the
 * editor of texts.
 */
export const MOST_OF_THE_STUDIO = { requests: 24, bytes: 275_000 } as const;

/** Files that a document names, compressed as most browsers get them. */
export interface FilesCost {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Most files of each view. The rest of a view is for answers: what they may be grows with what a view asks, so each has a bar of its own. Who raises
 * one says in its commit what readers get for it.
 */
export const MOST_FILES: Readonly<Record<Route, FilesCost>> = {
  signIn: { files: 7, bytes: 99_000 },
  overview: { files: 10, bytes: 119_000 },
  trends: { files: 8, bytes: 107_000 },
  experiments: { files: 8, bytes: 115_000 },
  experiment: { files: 11, bytes: 127_000 },
  studio: { files: 10, bytes: 154_000 },
  runs: { files: 8, bytes: 114_000 },
  run: { files: 9, bytes: 143_000 },
  compare: { files: 11, bytes: 136_000 },
  infrastructures: { files: 9, bytes: 117_000 },
  hubs: { files: 8, bytes: 117_000 },
  hub: { files: 9, bytes: 118_000 },
  probes: { files: 9, bytes: 119_000 },
  probe: { files: 9, bytes: 119_000 },
  settings: { files: 8, bytes: 99_000 },
  cluster: { files: 10, bytes: 114_000 },
};

/** Of each view whose files cost more than they may, what they cost and may cost. Pure. */
export function viewsOver(costs: Readonly<Record<Route, FilesCost>>): readonly string[] {
  return Object.entries(MOST_FILES).flatMap(([route, most]) => {
    const { files, bytes } = costs[route as Route];
    return files <= most.files && bytes <= most.bytes
      ? []
      : [
          `${route}: ${files} files of ${bytes} bytes, at most ${most.files} of ${most.bytes} may be (build/first-views.ts)`,
        ];
  });
}

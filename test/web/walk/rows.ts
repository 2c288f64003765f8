/** Every view and what it says in each of its states. */

import { comparePath } from '../../../web/address/compare.ts';
import {
  experimentPath,
  hubPath,
  listPath,
  probePath,
  ROUTES,
  runPath,
  settingsPath,
} from '../../../web/address/routes.ts';
import { SETTINGS } from '../../../web/views/settings/parts.ts';
import type { Place } from './scene.ts';

/** What is looked for in the page. */
type Said = string | RegExp;

/** What a view says. A state that it does not have is left out. */
export interface Row {
  readonly route: keyof typeof ROUTES;
  /** Part of the settings. */
  readonly part?: string;
  path(place: Place): string;
  /** Where there is one of everything. */
  readonly shown: Said;
  /** Where there is nothing. */
  readonly empty?: Said;
  /** Of something that is not there. */
  readonly missing?: { path(place: Place): string; readonly says: Said };
  /** Filtered by a link to nothing. */
  readonly filtered?: { readonly search: string; readonly says: Said };
  /** To a viewer, where the role makes a difference; else a viewer sees the same as others. */
  readonly viewer?: Said;
  /** Buttons of the view that change nothing, or nothing but what belongs to the reader. */
  readonly reads?: RegExp;
  /** Whether it says by itself that it is not live. */
  readonly isLive?: true;
}

const FORBIDDEN = /^Your role may not /;
/** Of views that are made of what is read: all but the words for what would change something. */
const NO_CHANGES = /^(?!Abort|Add|Change|Copy|Create|Delete|Edit|Make|Run|Save|Stop)/;
const NOTHING = 'find=no-such-thing&v=1';
const elsewhere = (name: string): string => `ChaosEngine/default/${name}`;

const PARTS: Readonly<Record<(typeof SETTINGS)[number][0], Omit<Row, 'route' | 'part' | 'path'>>> = {
  environments: {
    ...{ shown: 'lab', empty: 'No environments yet', isLive: true },
    missing: { path: ({ project }) => settingsPath(project, 'nowhere'), says: 'Setting not found' },
    filtered: { search: NOTHING, says: 'No environment is like that' },
  },
  members: { shown: 'olga', reads: /^Leave the project$/, isLive: true },
  webhooks: { shown: 'chat', empty: /^This project has no webhooks yet/, viewer: FORBIDDEN, isLive: true },
  git: { shown: /^Experiments of this project are not kept in Git/, viewer: FORBIDDEN },
  registry: { shown: 'This is the default of every project.', viewer: FORBIDDEN },
  audit: {
    ...{ shown: /^(created|changed) experiment /, empty: 'No changes found', viewer: FORBIDDEN },
    filtered: { search: 'actor=nobody&v=1', says: 'No changes found' },
  },
  projects: { shown: /^Create a project|^shop/, reads: /^Create( a project)?$/ },
  account: {
    shown: 'There is no token yet.',
    reads: /^(Save|Change password|Create a token|Revoke \w+)$/,
  },
  users: {
    ...{ shown: 'olga', viewer: FORBIDDEN },
    filtered: { search: NOTHING, says: 'No user is like that' },
  },
};

export const ROWS: readonly Row[] = [
  { route: 'signIn', path: () => ROUTES.signIn, shown: 'User name' },
  {
    ...{ route: 'overview', path: ({ project }) => listPath(project, 'overview') },
    ...{ shown: 'Last runs of each experiment', empty: 'Nothing was run yet', isLive: true },
  },
  {
    ...{ route: 'trends', path: ({ project }) => listPath(project, 'trends') },
    ...{
      shown: / tried\b/,
      empty: 'No run in this period',
      isLive: true,
      reads: /^(Print|As Markdown|Copy the Markdown|\d+ weeks|One year)$/,
    },
  },
  {
    ...{ route: 'experiments', path: ({ project }) => listPath(project, 'experiments') },
    ...{ shown: 'every-morning', empty: 'No experiment yet', isLive: true },
    filtered: { search: NOTHING, says: 'No experiment is like that' },
  },
  {
    ...{ route: 'experiment', path: ({ project, experiment }) => experimentPath(project, experiment) },
    ...{ shown: 'Score of its last runs, newest right', reads: /^YAML$/, isLive: true },
    missing: {
      path: ({ project }) => experimentPath(project, 'nowhere'),
      says: /no experiment nowhere in this/,
    },
  },
  {
    ...{ route: 'studio', path: ({ project, experiment }) => `${listPath(project, 'studio')}/${experiment}` },
    ...{ shown: 'What a run would do', viewer: FORBIDDEN },
    missing: {
      path: ({ project }) => `${listPath(project, 'studio')}/nowhere`,
      says: /no experiment nowhere in this/,
    },
  },
  {
    ...{ route: 'runs', path: ({ project }) => listPath(project, 'runs') },
    ...{ shown: 'checkout', empty: 'Nothing has been run yet', isLive: true },
    filtered: { search: NOTHING, says: 'No run is like that' },
  },
  {
    ...{ route: 'run', path: ({ project, run }) => runPath(project, run) },
    ...{ shown: /^In force now on /, reads: NO_CHANGES, isLive: true },
    missing: { path: ({ project }) => runPath(project, 'nowhere'), says: /no matching experiment run/ },
  },
  {
    ...{ route: 'compare', path: ({ project }) => comparePath(project, { a: 'run-1', b: 'run-2' }) },
    ...{ shown: /slo-99/, reads: NO_CHANGES },
    missing: {
      path: ({ project }) => comparePath(project, { a: '', b: 'nowhere' }),
      says: /no matching experiment run/,
    },
  },
  {
    ...{ route: 'infrastructures', path: ({ project }) => listPath(project, 'infrastructures') },
    ...{ shown: 'kind-laptop', empty: 'No cluster is connected', isLive: true, reads: /^Metrics of / },
    filtered: { search: NOTHING, says: 'No infrastructure is like that' },
  },
  { route: 'hubs', path: ({ project }) => listPath(project, 'hubs'), shown: 'this server', isLive: true },
  {
    ...{
      route: 'hub',
      path: ({ project, hub }) => hubPath(project, hub),
      shown: 'Pod Delete',
      reads: NO_CHANGES,
    },
    missing: { path: ({ project }) => hubPath(project, 'nowhere'), says: /nowhere/ },
    filtered: { search: NOTHING, says: 'No fault or experiment is like that' },
  },
  {
    ...{ route: 'probes', path: ({ project }) => listPath(project, 'probes') },
    ...{ shown: 'page-answers', empty: 'No probes yet', isLive: true },
    filtered: { search: NOTHING, says: 'No probe is like that' },
  },
  {
    ...{ route: 'probe', path: ({ project, probe }) => probePath(project, probe) },
    shown: 'As experiments have it',
    missing: { path: ({ project }) => probePath(project, 'nowhere'), says: /nowhere/ },
  },
  ...SETTINGS.map(
    ([part]): Row => ({
      ...{ route: 'settings', part, path: ({ project }) => settingsPath(project, part) },
      ...PARTS[part],
    }),
  ),
  {
    ...{ route: 'cluster', path: () => ROUTES.cluster, shown: 'default/checkout', isLive: true },
    ...{ viewer: FORBIDDEN, filtered: { search: NOTHING, says: 'No object is like that' } },
  },
  {
    ...{ route: 'run', path: ({ project }) => runPath(project, elsewhere('checkout')) },
    ...{ shown: /^in default$/, viewer: FORBIDDEN, isLive: true },
    missing: { path: ({ project }) => runPath(project, elsewhere('nowhere')), says: /nowhere/ },
  },
  {
    ...{ route: 'compare', path: ({ project }) => comparePath(project, { a: '', b: elsewhere('checkout') }) },
    ...{ shown: 'There is no run before this one', viewer: FORBIDDEN },
  },
];

import type { ComponentType, ReactElement } from 'react';
import { Link, Redirect } from 'wouter';
import { settingsPath } from '../../address/routes.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { useTitle } from '../use-title.ts';
import { SETTINGS } from './parts.ts';
import './settings.css';

type Part = ComponentType<{ readonly project: string }>;

/** Each part by its word in the address, loaded when it is shown. */
const VIEWS: Readonly<Record<string, Part>> = {
  environments: lazyView(
    'Loading the settings',
    async () => (await import('./environments.tsx')).Environments,
  ),
  members: lazyView('Loading the settings', async () => (await import('./members.tsx')).Members),
  webhooks: lazyView('Loading the settings', async () => (await import('./webhooks.tsx')).Webhooks),
  git: lazyView('Loading the settings', async () => (await import('./git.tsx')).Git),
  registry: lazyView('Loading the settings', async () => (await import('./registry.tsx')).Registry),
  audit: lazyView('Loading the settings', async () => (await import('./audit.tsx')).Audit),
  projects: lazyView('Loading the settings', async () => (await import('./projects.tsx')).Projects),
  account: lazyView('Loading the settings', async () => (await import('./account.tsx')).Account),
  users: lazyView('Loading the settings', async () => (await import('./users.tsx')).Users),
};

/** Settings of a project, and of the reader. */
export function SettingsView({
  project,
  part,
}: {
  readonly project: string;
  readonly part?: string | undefined;
}): ReactElement {
  const [[first]] = SETTINGS;
  const View = VIEWS[part ?? first];
  const name = SETTINGS.find(([word]) => word === part)?.[1] ?? 'Settings';
  useTitle(name);
  if (part === undefined) return <Redirect to={settingsPath(project, first)} replace />;
  return (
    <div className="settings">
      <nav aria-label="Settings">
        {SETTINGS.map(([word, words]) => (
          <Link
            key={word}
            href={settingsPath(project, word)}
            aria-current={word === part ? 'page' : undefined}
          >
            {words}
          </Link>
        ))}
      </nav>
      <div className="settings-part">
        <h1>{name}</h1>
        {View === undefined ? (
          <Notice title="Setting not found" text="Choose one from the list." />
        ) : (
          <View project={project} />
        )}
      </div>
    </div>
  );
}

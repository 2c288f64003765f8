import { type ComponentType, lazy, type ReactElement, Suspense } from 'react';
import { Link, Redirect } from 'wouter';
import { settingsPath } from '../../address/routes.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { useTitle } from '../use-title.ts';
import { SETTINGS } from './parts.ts';
import './settings.css';

type Part = ComponentType<{ readonly project: string }>;

/** Each part by its word in the address, loaded when it is shown. */
const VIEWS: Readonly<Record<string, Part>> = {
  environments: lazy(async () => ({ default: (await import('./environments.tsx')).Environments })),
  members: lazy(async () => ({ default: (await import('./members.tsx')).Members })),
  webhooks: lazy(async () => ({ default: (await import('./webhooks.tsx')).Webhooks })),
  git: lazy(async () => ({ default: (await import('./git.tsx')).Git })),
  registry: lazy(async () => ({ default: (await import('./registry.tsx')).Registry })),
  audit: lazy(async () => ({ default: (await import('./audit.tsx')).Audit })),
  projects: lazy(async () => ({ default: (await import('./projects.tsx')).Projects })),
  account: lazy(async () => ({ default: (await import('./account.tsx')).Account })),
  users: lazy(async () => ({ default: (await import('./users.tsx')).Users })),
};

/** What is set up for a project, and for oneself. */
export function SettingsView({
  project,
  part,
}: {
  readonly project: string;
  readonly part: string | undefined;
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
        {View === undefined ? (
          <Notice title="There is no such setting" text="Choose one of the list." />
        ) : (
          <>
            <h1>{name}</h1>
            <Suspense fallback={<div className="waiting" role="status" aria-label={`Loading ${name}`} />}>
              <View project={project} />
            </Suspense>
          </>
        )}
      </div>
    </div>
  );
}

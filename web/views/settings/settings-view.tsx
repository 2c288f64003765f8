import { type ComponentType, lazy, type ReactElement } from 'react';
import { Link, Redirect } from 'wouter';
import { settingsPath } from '../../address/routes.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { useTitle } from '../use-title.ts';
import './settings.css';

type Part = ComponentType<{ readonly project: string }>;

/** Each part by its word in the address, loaded when it is shown. */
const PARTS: Readonly<Record<string, { readonly name: string; readonly View: Part }>> = {
  environments: {
    name: 'Environments',
    View: lazy(async () => ({ default: (await import('./environments.tsx')).Environments })),
  },
  members: {
    name: 'Members',
    View: lazy(async () => ({ default: (await import('./members.tsx')).Members })),
  },
  webhooks: {
    name: 'Notifications',
    View: lazy(async () => ({ default: (await import('./webhooks.tsx')).Webhooks })),
  },
  git: {
    name: 'GitOps',
    View: lazy(async () => ({ default: (await import('./git.tsx')).Git })),
  },
  registry: {
    name: 'Image registry',
    View: lazy(async () => ({ default: (await import('./registry.tsx')).Registry })),
  },
  audit: {
    name: 'Audit',
    View: lazy(async () => ({ default: (await import('./audit.tsx')).Audit })),
  },
  account: {
    name: 'Your account',
    View: lazy(async () => ({ default: (await import('./account.tsx')).Account })),
  },
  users: {
    name: 'Users',
    View: lazy(async () => ({ default: (await import('./users.tsx')).Users })),
  },
};

/** What is set up for a project, and for oneself. */
export function SettingsView({
  project,
  part,
}: {
  readonly project: string;
  readonly part: string | undefined;
}): ReactElement {
  const [first = ''] = Object.keys(PARTS);
  const shown = PARTS[part ?? first];
  useTitle(shown?.name ?? 'Settings');
  if (part === undefined) return <Redirect to={settingsPath(project, first)} replace />;
  return (
    <div className="settings">
      <nav aria-label="Settings">
        {Object.entries(PARTS).map(([word, { name }]) => (
          <Link
            key={word}
            href={settingsPath(project, word)}
            aria-current={word === part ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="settings-part">
        {shown === undefined ? (
          <Notice title="There is no such setting" text="Choose one of the list." />
        ) : (
          <>
            <h1>{shown.name}</h1>
            <shown.View project={project} />
          </>
        )}
      </div>
    </div>
  );
}

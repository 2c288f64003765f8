import type { ReactElement, ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { listPath, ROUTES } from '../../address/routes.ts';
import { Panel } from '../../parts/panel/panel.tsx';
import { ClusterHaltLever, ProjectHaltLever } from '../halt/halts.tsx';
import { BarEnd } from './bar-end.tsx';
import './frame.css';

const LISTS = [
  ['overview', 'Overview'],
  ['experiments', 'Experiments'],
  ['runs', 'Runs'],
  ['probes', 'Probes'],
  ['hubs', 'Hubs'],
  ['infrastructures', 'Infrastructures'],
  ['settings', 'Settings'],
] as const;

/** The bar above every page. */
export function Frame({
  project,
  children,
}: {
  /** Undefined for the cluster that the server looks at, which belongs to no project. */
  readonly project?: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <span className="brand">Turnsole</span>
        <nav aria-label="Pages">
          {project === undefined ? (
            <Item path={ROUTES.cluster} name="Cluster" />
          ) : (
            LISTS.map(([list, name]) => <Item key={list} path={listPath(project, list)} name={name} />)
          )}
        </nav>
        <div className="bar-end">
          {project === undefined ? (
            <ClusterHaltLever />
          ) : (
            <>
              <ProjectHaltLever project={project} />
              <BarEnd project={project} />
            </>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Panel key={location.pathname} name="This page">
          {children}
        </Panel>
      </main>
    </>
  );
}

function Item({ path, name }: { readonly path: string; readonly name: string }): ReactElement {
  const [isHere] = useRoute(`${path}/*?`);
  return (
    <Link href={path} aria-current={isHere ? 'page' : undefined}>
      {name}
    </Link>
  );
}

import './frame.css';
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { listPath, ROUTES } from '../../address/routes.ts';
import { Options } from '../../parts/options/options.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { HaltBanner, HaltButton, type Lever } from '../halt/halt-lever.tsx';
import { FollowHalts, WithClusterLever, WithProjectLever } from '../halt/with-lever.tsx';
import { PaletteKey } from '../palette/palette-key.tsx';
import { PAGES } from './project-pages.ts';
import { ReaderMenu } from './reader-menu.tsx';
import { useProjects, useShownProject, WATCHES_CLUSTER } from './use-projects.ts';

/** The bar above every page. */
export function Frame({
  project,
  children,
}: {
  /** Undefined for the cluster that the server watches, which belongs to no project. */
  readonly project: string | undefined;
  readonly children: ReactNode;
}): ReactElement {
  const shown = useShownProject(project);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <Link href="/" className="brand" aria-label="Turnsole">
          <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
            <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.6" />
            <path d="M8 1a7 7 0 0 1 0 14z" fill="currentColor" />
          </svg>
          <span>Turnsole</span>
        </Link>
        {project === undefined ? null : <ProjectChoice project={project} />}
        <nav aria-label="Pages">
          {WATCHES_CLUSTER || project === undefined ? <Item path={ROUTES.cluster} name="Cluster" /> : null}
          {shown === undefined
            ? null
            : PAGES.map(([list, name]) => <Item key={list} path={listPath(shown, list)} name={name} />)}
        </nav>
        <div className="bar-end">
          <PaletteKey project={project} />
          <WithLever project={project}>
            {(lever) => (lever.halted === undefined ? <HaltButton {...lever} /> : null)}
          </WithLever>
          <ReaderMenu project={project} />
        </div>
      </header>
      {project === undefined ? null : <FollowHalts project={project} />}
      <WithLever project={project}>{(lever) => <HaltBanner {...lever} />}</WithLever>
      <main id="main" tabIndex={-1}>
        <Panel key={location.pathname} name="This page">
          {children}
        </Panel>
      </main>
    </>
  );
}

function WithLever({
  project,
  children,
}: {
  readonly project: string | undefined;
  children(lever: Lever): ReactElement | null;
}): ReactElement {
  return project === undefined ? (
    <WithClusterLever>{children}</WithClusterLever>
  ) : (
    <WithProjectLever project={project}>{children}</WithProjectLever>
  );
}

function Item({ path, name }: { readonly path: string; readonly name: string }): ReactElement {
  const [isHere] = useRoute(`${path}/*?`);
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // If the bar is too narrow, scrolls the current one into view.
    if (isHere) link.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [isHere]);
  return (
    <Link ref={link} href={path} aria-current={isHere ? 'page' : undefined}>
      {name}
    </Link>
  );
}

/** Switches to another project of the reader. */
function ProjectChoice({ project }: { readonly project: string }): ReactElement | null {
  const [, navigate] = useLocation();
  const projects = useProjects().data ?? [];
  if (projects.length === 0) return null;
  return (
    <select
      aria-label="Project"
      value={project}
      onChange={({ target }) => navigate(listPath(target.value, 'overview'))}
    >
      <Options choices={projects.map(({ projectID, name }) => [projectID, name])} />
    </select>
  );
}

import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { aimedStudioPath } from '../../address/routes.ts';
import { nameOf } from '../../models/trends/trends.ts';
import { HUBS } from '../hubs/generated/hubs.ts';
import { useAsk } from '../use-ask.ts';
import { usePermissions } from '../use-permissions.ts';
import type { PresentService } from './use-present-services.ts';

/** Most services that are listed; the others are counted. */
const MOST = 30;

/** What clusters have and nobody has tried, each with the experiment that most begin with. */
export function NeverTried({
  project,
  services,
  isAsking,
}: {
  readonly project: string;
  readonly services: readonly PresentService[];
  readonly isAsking: boolean;
}): ReactElement | null {
  const view = useAsk(HUBS, { projectID: project });
  const hub = 'data' in view ? view.data.listChaosHub.find((one) => one !== null)?.id : undefined;
  const may = usePermissions(project);
  if (isAsking) return <p className="hint">The agents are asked what else there is…</p>;
  if (services.length === 0) return null;
  return (
    <section aria-label="Never tried">
      <h2>Never tried in this period</h2>
      <ul className="trends-untried">
        {services.slice(0, MOST).map((service) => (
          <li key={`${service.infraID} ${service.kind} ${nameOf(service)}`}>
            <bdi>{nameOf(service)}</bdi> <small className="hint">on {service.infraName}</small>{' '}
            {hub === undefined || !may('saveChaosExperiment') ? null : (
              <Link
                href={aimedStudioPath(project, `${hub}/kubernetes/pod-delete`, service)}
                aria-label={`Delete one of its pods: ${nameOf(service)}`}
              >
                Delete one of its pods
              </Link>
            )}
          </li>
        ))}
      </ul>
      {services.length > MOST ? <p className="hint">and {services.length - MOST} more</p> : null}
    </section>
  );
}

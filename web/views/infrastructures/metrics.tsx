import { type ReactElement, useState } from 'react';
import type { InfraMetrics, InfraMetricsRequest } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import { ActionButton } from '../action-button.tsx';
import { Form, TextField, type Texts } from '../form.tsx';
import { usePermissions } from '../use-permissions.ts';
import type { ListedInfra } from './generated/infrastructures.ts';
import { SET_METRICS } from './generated/metrics.ts';

/** Maximum number of queries of an infrastructure. */
const MOST_QUERIES = 4;

/** The source of the metrics of an infrastructure's runs: owners set it, others read it. */
export function Metrics({
  project,
  infra,
  onDone,
}: {
  readonly project: string;
  readonly infra: ListedInfra;
  onDone(): void;
}): ReactElement {
  const { infraID, name, metrics } = infra;
  const may = usePermissions(project);
  const set = (request: InfraMetricsRequest | null): Promise<unknown> =>
    ask(SET_METRICS, { projectID: project, infraID, request });
  return (
    <section className="metrics" aria-label={`Metrics of ${plainText(name)}`}>
      <h2>
        Metrics of <bdi>{name}</bdi>
      </h2>
      <p className="hint">
        The agent queries a Prometheus in its cluster, and the page of a run draws the values of that time.
        The values are not stored.
      </p>
      {may('setInfraMetrics') ? (
        <>
          <MetricsForm key={infraID} metrics={metrics} onSet={set} onDone={onDone} />
          {metrics ? (
            <ActionButton
              label="Remove the metrics"
              name={`Remove the metrics of ${name}`}
              question="Pages of runs no longer show metrics. The Prometheus keeps its data."
              run={() => set(null)}
              onDone={onDone}
            />
          ) : null}
        </>
      ) : (
        <ShownMetrics metrics={metrics} />
      )}
    </section>
  );
}

function MetricsForm({
  metrics,
  onSet,
  onDone,
}: {
  readonly metrics: InfraMetrics | null;
  onSet(request: InfraMetricsRequest): Promise<unknown>;
  onDone(): void;
}): ReactElement {
  const kept = metrics?.queries ?? [];
  const [count, setCount] = useState(Math.max(1, kept.length));
  const places = Array.from({ length: count }, (_, place) => place + 1);
  return (
    <Form submit="Set metrics" run={(text) => onSet(requestOf(text))} onDone={onDone}>
      <div className="wide">
        <TextField
          name="address"
          type="url"
          label="Address of the Prometheus, as pods of the cluster reach it; without a password"
          initial={metrics?.address}
        />
      </div>
      <p className="hint wide">
        In the text of a matcher <code>=~</code> or <code>!~</code>, <code>{'{{namespace}}'}</code> stands for
        the namespaces that a run has hit something in, and <code>{'{{pods}}'}</code> for the pods that it has
        hit: <code>{'errors_total{namespace=~"{{namespace}}"}'}</code>. A query that is left empty is taken
        away.
      </p>
      {places.map((place) => (
        <QueryFields key={place} place={place} query={kept[place - 1]} />
      ))}
      {count < MOST_QUERIES ? (
        <p className="wide">
          <Button look="link" label="One more query" onClick={() => setCount(count + 1)} />
        </p>
      ) : null}
    </Form>
  );
}

function QueryFields({
  place,
  query,
}: {
  readonly place: number;
  readonly query: InfraMetrics['queries'][number] | undefined;
}): ReactElement {
  const isNeeded = place === 1;
  return (
    <>
      <TextField
        name={`name-${place}`}
        label={`Query ${place} is called`}
        initial={query?.name}
        isNeeded={isNeeded}
      />
      <TextField
        name={`unit-${place}`}
        label={`Unit of query ${place}, if it has one`}
        initial={query?.unit}
        isNeeded={false}
      />
      <label className="wide">
        PromQL of query {place}
        <textarea
          name={`query-${place}`}
          rows={2}
          spellCheck={false}
          defaultValue={query?.query}
          required={isNeeded}
        />
      </label>
    </>
  );
}

/** The request from the fields, without empty queries. Pure. */
function requestOf(text: Texts): InfraMetricsRequest {
  const queries = Array.from({ length: MOST_QUERIES }, (_, index) => ({
    name: text(`name-${index + 1}`),
    unit: text(`unit-${index + 1}`),
    query: text(`query-${index + 1}`),
  }));
  return {
    address: text('address'),
    queries: queries.filter(({ name, query }) => name !== '' || query !== ''),
  };
}

/** The setting, for readers who may not change it. */
function ShownMetrics({ metrics }: { readonly metrics: InfraMetrics | null }): ReactElement {
  if (!metrics) return <p>No Prometheus is set. {whoMay('setInfraMetrics')} of the project may set one.</p>;
  return (
    <>
      <p>
        Its Prometheus is <bdi>{metrics.address}</bdi>. {whoMay('setInfraMetrics')} of the project may change
        it.
      </p>
      <dl>
        {metrics.queries.map(({ name, unit, query }) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi> {unit === '' ? null : <small>({unit})</small>}
            </dt>
            <dd>
              <code>{query}</code>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

import type { ReactElement } from 'react';
import type { ExperimentDetails } from '../../../../src/services/report/run-details.ts';
import { plainText } from '../../../models/words/plain.ts';
import { clockWords, exactWords } from '../../../models/words/time.ts';
import { textColumn } from '../../../parts/table/column-kinds.tsx';
import type { Column } from '../../../parts/table/columns.ts';
import { LocalTable } from '../../../parts/table/local-table.tsx';
import { ProbeTable } from './probe-table.tsx';

type Experiments = readonly ExperimentDetails[];

/** Settings of the engines of a run. */
export function Settings({ experiments }: { readonly experiments: Experiments }): ReactElement {
  return (
    <>
      {experiments.map(({ engine, namespace, experiment, settings }) => (
        <section
          key={`${namespace}/${engine} ${experiment}`}
          aria-label={`Settings of ${plainText(experiment)}`}
        >
          <h3>
            <bdi>{plainText(experiment)}</bdi>{' '}
            <small className="quiet">
              engine <bdi>{plainText(`${namespace}/${engine}`)}</bdi>
            </small>
          </h3>
          {settings === null ? (
            <p className="hint">
              The engine is gone, or its settings are not reported; the object and the logs may say more.
            </p>
          ) : settings.length === 0 ? (
            <p className="hint">
              The engine sets nothing: all settings have the defaults of the ChaosExperiment.
            </p>
          ) : (
            <LocalTable
              name="run-settings"
              label={`Settings of ${plainText(experiment)}`}
              columns={SETTING_COLUMNS}
              rows={settings}
              keyOf={({ name }) => name}
            />
          )}
        </section>
      ))}
      <NoneOf experiments={experiments} />
      {experiments.length === 0 ? null : (
        <p className="hint">
          Settings that are not listed have the default of the ChaosExperiment, which `turnsole faults
          describe` shows.
        </p>
      )}
    </>
  );
}

const SETTING_COLUMNS: readonly Column<NonNullable<ExperimentDetails['settings']>[number]>[] = [
  {
    ...{ id: 'name', name: 'Setting', order: ({ name }) => name },
    cell: ({ name }) => <code>{plainText(name)}</code>,
  },
  { id: 'value', name: 'Value', cell: ({ value }) => <bdi>{plainText(value)}</bdi> },
];

/** Injections and reverts; the lines of the selected target are highlighted and first. */
export function Ledger({
  experiments,
  selected,
}: {
  readonly experiments: Experiments;
  /** Name of the selected lane of targets. */
  readonly selected: string | undefined;
}): ReactElement {
  const isSelected = ({ target }: { readonly target: string }): boolean => {
    const name = plainText(target);
    return selected !== undefined && (selected === name || selected.startsWith(`${name},`));
  };
  const lines = experiments
    .flatMap(({ ledger }) => ledger)
    .toSorted((a, b) => Number(isSelected(b)) - Number(isSelected(a)));
  if (lines.length === 0)
    return <p className="hint">The ledger is empty: nothing was injected, or its result was deleted.</p>;
  return (
    <LocalTable
      name="ledger"
      label="Ledger"
      columns={LEDGER_COLUMNS}
      rows={lines}
      keyOf={({ id }) => id}
      isCurrent={isSelected}
    />
  );
}

type LedgerLine = ExperimentDetails['ledger'][number];

const LEDGER_COLUMNS: readonly Column<LedgerLine>[] = [
  textColumn('target', 'Target', ({ target }) => plainText(target)),
  textColumn('fault', 'Fault', ({ fault }) => fault),
  textColumn('state', 'State', ({ state }) => state),
  timeColumn('injected', 'Injected', ({ injectedAt }) => injectedAt),
  timeColumn('reverted', 'Reverted', ({ revertedAt }) => revertedAt),
  timeColumn('lease', 'Lease ends', ({ leaseExpiresAt }) => leaseExpiresAt),
  { id: 'said', name: 'What is said', cell: ({ message }) => <bdi>{plainText(message)}</bdi> },
];

/** A time of day, exact on hover. */
function timeColumn(
  id: string,
  name: string,
  timeOf: (line: LedgerLine) => string | null,
): Column<LedgerLine> {
  return {
    ...{ id, name, order: (line) => timeOf(line) ?? '' },
    cell: (line) => {
      const time = timeOf(line);
      if (time === null) return '–';
      const ms = Date.parse(time);
      return (
        <time dateTime={time} title={exactWords(ms)}>
          {clockWords(ms)}
        </time>
      );
    },
  };
}

/** Verdicts of probes. */
export function Probes({ experiments }: { readonly experiments: Experiments }): ReactElement {
  const probes = experiments.flatMap(({ probes: own, experiment }) =>
    own.map((probe) => ({ ...probe, experiment })),
  );
  if (probes.length === 0) return <p className="hint">There are no probes, or no reports about them yet.</p>;
  return <ProbeTable probes={probes} />;
}

function NoneOf({ experiments }: { readonly experiments: Experiments }): ReactElement | null {
  return experiments.length === 0 ? <p className="hint">No engine of this run is known.</p> : null;
}

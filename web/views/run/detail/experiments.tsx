import type { ReactElement } from 'react';
import type { ExperimentDetails } from '../../../../src/services/report/run-details.ts';
import { plainText } from '../../../models/words/plain.ts';
import { Table } from '../../../parts/table/table.tsx';
import { Verdict } from '../../../parts/verdict/verdict.tsx';

type Experiments = readonly ExperimentDetails[];

/** What the engines of a run set. */
export function Settings({ experiments }: { readonly experiments: Experiments }): ReactElement {
  return (
    <>
      {experiments.map(({ engine, namespace, experiment, settings }) => (
        <section key={`${namespace}/${engine} ${experiment}`} aria-label={`Settings of ${experiment}`}>
          <h3>
            <bdi>{plainText(experiment)}</bdi>{' '}
            <small className="quiet">
              engine <bdi>{plainText(`${namespace}/${engine}`)}</bdi>
            </small>
          </h3>
          {settings === null ? (
            <p className="hint">
              The engine is gone, or its settings are not told; the object and the logs may say more.
            </p>
          ) : settings.length === 0 ? (
            <p className="hint">
              The engine sets nothing: all settings have the defaults of the ChaosExperiment.
            </p>
          ) : (
            <Table label={`Settings of ${experiment}`} heads={['Setting', 'Value']}>
              {settings.map(({ name, value }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{plainText(name)}</code>
                  </th>
                  <td>
                    <bdi>{plainText(value)}</bdi>
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </section>
      ))}
      <NoneOf experiments={experiments} />
      {experiments.length === 0 ? null : (
        <p className="hint">
          What is not listed has the default of the ChaosExperiment, which `turnsole faults describe` shows.
        </p>
      )}
    </>
  );
}

const LEDGER_HEADS = ['Target', 'Fault', 'State', 'Injected', 'Reverted', 'Lease ends', 'What is said'];

/** What was injected and reverted; the lines of the selected target are marked and come first. */
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
    return <p className="hint">Nothing stands in the ledger: nothing was injected, or its result is gone.</p>;
  const shown = lines.slice(0, MOST);
  return (
    <>
      <Table label="Ledger" heads={LEDGER_HEADS}>
        {shown.map((line) => (
          <tr
            key={line.id}
            data-selected={isSelected(line)}
            aria-current={isSelected(line) ? 'true' : undefined}
          >
            <th scope="row">
              <bdi>{plainText(line.target)}</bdi>
            </th>
            <td>{line.fault}</td>
            <td>{line.state}</td>
            <Time time={line.injectedAt} />
            <Time time={line.revertedAt} />
            <Time time={line.leaseExpiresAt} />
            <td>{plainText(line.message)}</td>
          </tr>
        ))}
      </Table>
      {lines.length > MOST ? (
        <p className="hint">{lines.length - MOST} more are in the object of the result.</p>
      ) : null}
    </>
  );
}

/** Of a longer ledger the first lines are shown. */
const MOST = 500;

function Time({ time }: { readonly time: string | null }): ReactElement {
  return <td title={time ?? undefined}>{time === null ? '–' : new Date(time).toLocaleTimeString()}</td>;
}

const PROBE_HEADS = ['Probe', 'Type', 'Mode', 'Verdict', 'What was found'];

/** What probes have come to. */
export function Probes({ experiments }: { readonly experiments: Experiments }): ReactElement {
  const probes = experiments.flatMap(({ probes: own, experiment }) =>
    own.map((probe) => ({ ...probe, experiment })),
  );
  if (probes.length === 0)
    return <p className="hint">There are no probes, or nothing is known of them yet.</p>;
  return (
    <Table label="Probes" heads={PROBE_HEADS}>
      {probes.map(({ experiment, name, type, mode, verdict, description }) => (
        <tr key={`${experiment} ${name} ${mode}`}>
          <th scope="row">
            <bdi>{plainText(name)}</bdi>
          </th>
          <td>{type}</td>
          <td>{mode}</td>
          <td>
            <Verdict state={verdict} />
          </td>
          <td>{plainText(description)}</td>
        </tr>
      ))}
    </Table>
  );
}

function NoneOf({ experiments }: { readonly experiments: Experiments }): ReactElement | null {
  return experiments.length === 0 ? <p className="hint">No engine of this run is known.</p> : null;
}

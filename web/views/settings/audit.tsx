import { type ReactElement, useDeferredValue } from 'react';
import { AUDIT_ADDRESS } from '../../address/audit.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { PAGE_ROWS } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { AUDIT, type ShownEntry } from './audit-query.ts';
import '../form.css';

const HEADS = ['When', 'Who', 'From', 'Did', 'To', 'Before and after'];
const FILTERS = [
  ['actor', 'By whom'],
  ['operation', 'Operation'],
  ['kind', 'Kind of object'],
] as const;

/** Who has changed what in a project, the latest first. */
export function Audit({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(AUDIT_ADDRESS);
  const { actor, operation, kind, after } = useDeferredValue(state);
  const view = useAsk(
    AUDIT,
    {
      request: {
        ...{ projectID: project, limit: PAGE_ROWS },
        ...(actor !== '' && { actor }),
        ...(operation !== '' && { operation }),
        ...(kind !== '' && { objectKind: kind }),
        ...(after !== '' && { after }),
      },
    },
    ({ listAudit }) => listAudit.entries.length === 0,
  );
  return (
    <>
      <div className="form">
        {FILTERS.map(([name, label]) => (
          <label key={name}>
            {label}
            <input
              type="search"
              autoComplete="off"
              value={state[name]}
              onChange={({ target }) => change({ [name]: target.value, after: '' }, 'replace')}
            />
          </label>
        ))}
      </div>
      <p className="facts">
        <a href={linesPath(project, { actor, operation, kind })} download="audit.jsonl">
          All of these as JSON lines
        </a>
      </p>
      <StateView
        view={view}
        what="the audit log"
        empty={
          <Notice
            title="No change is shown"
            text="None fits what is asked for above, which has to be whole words except for names."
            action={{
              label: 'Show all',
              do: () => change({ actor: '', operation: '', kind: '', after: '' }, 'push'),
            }}
          />
        }
      >
        {({ listAudit: { entries, next } }) => (
          <>
            <Table label="Changes" heads={HEADS}>
              {entries.map((entry) => (
                <Row key={entry.auditID} entry={entry} />
              ))}
            </Table>
            {next === null ? null : (
              <p>
                <button type="button" className="link" onClick={() => change({ after: next }, 'push')}>
                  Older changes
                </button>
              </p>
            )}
          </>
        )}
      </StateView>
    </>
  );
}

/** Where the lines are downloaded from. */
function linesPath(project: string, filter: Readonly<Record<string, string>>): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return `/audit?${new URLSearchParams([['project', project], ['format', 'jsonl'], ...given])}`;
}

function Row({ entry }: { readonly entry: ShownEntry }): ReactElement {
  const time = Number(entry.time);
  return (
    <tr>
      <td title={new Date(time).toISOString()}>{agoWords(time, Date.now())}</td>
      <td>
        <bdi>{entry.actorName || entry.actorID || entry.actorKind}</bdi>
      </td>
      <td>{entry.address}</td>
      <td>{entry.operation}</td>
      <td>
        {entry.objectKind} <bdi>{entry.objectID}</bdi>
      </td>
      <td>
        {entry.before === null && entry.after === null ? null : (
          <details>
            <summary aria-label={`Show before and after ${entry.operation}`}>Show</summary>
            <pre className="secret">{`before: ${entry.before ?? '–'}\nafter: ${entry.after ?? '–'}`}</pre>
          </details>
        )}
      </td>
    </tr>
  );
}

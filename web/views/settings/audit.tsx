import { type ReactElement, useDeferredValue } from 'react';
import type { ListAuditRequest } from '../../../src/controlplane/schema/generated/types.ts';
import { AUDIT_ADDRESS, type AuditAddress } from '../../address/audit.ts';
import { auditWords, DID } from '../../models/words/audit.ts';
import { dayRange, endOf, startOf } from '../../models/words/days.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { textColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { PAGE_ROWS } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { AUDIT, type ShownEntry } from './generated/audit.ts';
import '../form.css';

/** The fields of the filter; days are those of the reader. */
const FILTERS = [
  ['actor', 'By whom', 'search'],
  ['operation', 'Operation', 'search'],
  ['kind', 'Kind of object', 'search'],
  ['object', 'ID of the object', 'search'],
  ['from', 'From this day on', 'date'],
  ['to', 'To this day', 'date'],
] as const;

/** The audit log of a project, the latest first. */
export function Audit({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(AUDIT_ADDRESS);
  const chosen = useDeferredValue(state);
  const { after } = chosen;
  const view = useAsk(
    AUDIT,
    {
      request: {
        ...{ projectID: project, limit: PAGE_ROWS },
        ...filterOf(chosen),
        ...(after !== '' && { after }),
      },
    },
    ({ listAudit }) => listAudit.entries.length === 0,
  );
  return (
    <>
      {view.state === 'forbidden' ? null : (
        <Filters project={project} state={state} chosen={chosen} change={change} />
      )}
      <StateView
        view={view}
        what="the audit log"
        empty={
          <Notice
            title="No changes found"
            text="No change matches the filter. Operations, kinds and IDs must match exactly; for names a part is enough."
            action={{
              label: 'Show all',
              do: () => change(EVERYTHING, 'push'),
            }}
          />
        }
      >
        {({ listAudit: { entries, next } }) => (
          <>
            <DataTable
              name="audit"
              label="Changes"
              columns={COLUMNS}
              rows={entries}
              keyOf={({ auditID }) => auditID}
            />
            {next === null ? null : (
              <p>
                <Button look="link" label="Older changes" onClick={() => change({ after: next }, 'push')} />
              </p>
            )}
          </>
        )}
      </StateView>
    </>
  );
}

function Filters({
  project,
  state,
  chosen,
  change,
}: {
  readonly project: string;
  readonly state: AuditAddress;
  /** The applied filter, which follows typing after a delay. */
  readonly chosen: AuditAddress;
  change(changes: Partial<AuditAddress>, how: 'replace'): void;
}): ReactElement {
  return (
    <>
      <div className="form filter-form">
        {FILTERS.map(([name, label, type]) => (
          <label key={name}>
            {label}
            <input
              type={type}
              autoComplete="off"
              list={name === 'operation' ? 'audit-operations' : undefined}
              value={state[name]}
              onChange={({ target }) => change({ [name]: target.value, after: '' }, 'replace')}
            />
          </label>
        ))}
      </div>
      <datalist id="audit-operations">
        {Object.entries(DID).map(([operation, did]) => (
          <option key={operation} value={operation}>
            {did.replace('*', '…')}
          </option>
        ))}
      </datalist>
      <p className="facts">
        <a href={linesPath(project, chosen)} download="audit.jsonl">
          All of these as JSON lines
        </a>
      </p>
    </>
  );
}

/** The state without filters. */
const EVERYTHING = { actor: '', operation: '', kind: '', object: '', from: '', to: '', after: '' } as const;

/** The filter in the form of the API; days are in the reader's time zone. */
function filterOf({ actor, operation, kind, object, from, to }: AuditAddress): ListAuditRequest {
  const dateRange = dayRange(from, to);
  return {
    ...(actor !== '' && { actor }),
    ...(operation !== '' && { operation }),
    ...(kind !== '' && { objectKind: kind }),
    ...(object !== '' && { objectID: object }),
    ...(dateRange !== undefined && { dateRange }),
  };
}

/** Path for the download of the lines. */
function linesPath(project: string, { actor, operation, kind, object, from, to }: AuditAddress): string {
  const wanted = { actor, operation, kind, object, from: startOf(from), to: endOf(to) };
  const given = Object.entries(wanted).filter(([, value]) => value !== '');
  return `/audit?${new URLSearchParams([['project', project], ['format', 'jsonl'], ...given])}`;
}

const COLUMNS: readonly Column<ShownEntry>[] = [
  whenColumn('when', 'When', ({ time }) => time),
  textColumn('who', 'Who', ({ actorName, actorID, actorKind }) => actorName || actorID || actorKind),
  textColumn('from', 'From', ({ address }) => address),
  {
    id: 'did',
    name: 'Did',
    cell: (entry) => {
      const { before, name, after } = auditWords(entry);
      return (
        <span title={plainText(`${entry.operation} ${entry.objectKind} ${entry.objectID}`)}>
          {before}
          <bdi>{plainText(name)}</bdi>
          {after}
        </span>
      );
    },
  },
  {
    id: 'values',
    name: 'Before and after',
    cell: ({ before, after, operation }) =>
      before === null && after === null ? null : (
        <details>
          <summary aria-label={`Show before and after ${operation}`}>Show</summary>
          <pre className="secret">{`before: ${before ?? '–'}\nafter: ${after ?? '–'}`}</pre>
        </details>
      ),
  },
];

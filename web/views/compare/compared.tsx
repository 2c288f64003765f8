import { type ReactElement, useMemo } from 'react';
import { COMPARE_ADDRESS } from '../../address/compare.ts';
import { type ComparedRun, compareRuns, type Difference } from '../../models/compare/compare.ts';
import type { Axis } from '../../models/timeline/axis.ts';
import { durationWords } from '../../models/words/duration.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { textColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { LocalTable } from '../../parts/table/local-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { AxisPanel } from '../run/axis-panel.tsx';
import { useAddress } from '../use-address.ts';
import './compare.css';

/** A run of a comparison. */
export interface ComparedSide {
  readonly run: ComparedRun;
  readonly link: ReactElement;
}

/** Two runs side by side: the differences as a sentence, as a table, and as marks of one axis. */
export function Compared({ a, b }: { readonly a: ComparedSide; readonly b: ComparedSide }): ReactElement {
  const { state: address, problems, change } = useAddress(COMPARE_ADDRESS);
  const comparison = useMemo(() => compareRuns(a.run, b.run), [a.run, b.run]);
  const { axis, differences, sentence, unknown } = comparison;
  const model = useMemo(
    () => ({ axis, isRunning: false, evidence: differences.flatMap(({ marks }) => marks) }),
    [axis, differences],
  );
  const select = (mark: number): void => change({ mark, axis: 'lanes' }, 'push');
  return (
    <>
      <p className="why">{sentence}</p>
      {[...problems, ...unknown].map((text) => (
        <p key={text} className="hint" role="status">
          {text}
        </p>
      ))}
      <dl className="sides">
        <Side letter="A" side={a} />
        <Side letter="B" side={b} />
      </dl>
      {differences.length === 0 ? null : (
        <Differences axis={axis} differences={differences} onSelect={select} />
      )}
      <Panel name="The time axis">
        <div className="compare-axis">
          <AxisPanel
            model={model}
            address={address}
            change={change}
            onOpen={(mark) => change({ mark, axis: 'table' }, 'push')}
          />
        </div>
        <p className="hint">
          Each run is counted from its own start. Lanes of both stand under each other; marks that show a
          difference are framed.
        </p>
      </Panel>
    </>
  );
}

function Side({
  letter,
  side: { run, link },
}: {
  readonly letter: string;
  readonly side: ComparedSide;
}): ReactElement {
  return (
    <div>
      <dt>{letter}</dt>
      <dd>
        {link} <Verdict state={run.state} /> <span className="quiet">{durationWords(run.axis.lengthMs)}</span>
      </dd>
    </div>
  );
}

function Differences({
  axis,
  differences,
  onSelect,
}: {
  readonly axis: Axis;
  readonly differences: readonly Difference[];
  onSelect(mark: number): void;
}): ReactElement {
  const columns = useMemo(() => columnsOf(axis, onSelect), [axis, onSelect]);
  return (
    <>
      <h2>{differences.length === 1 ? 'One difference' : `${differences.length} differences`}</h2>
      <LocalTable
        name="differences"
        label="Differences"
        columns={columns}
        rows={differences}
        keyOf={({ kind, subject }) => `${kind} ${subject}`}
      />
    </>
  );
}

/** Columns of the differences, with links to their marks. */
function columnsOf(axis: Axis, onSelect: (mark: number) => void): readonly Column<Difference>[] {
  return [
    textColumn('what', 'What', ({ subject }) => plainText(subject)),
    { id: 'a', name: 'A', cell: ({ a }) => a },
    { id: 'b', name: 'B', cell: ({ b }) => b },
    {
      ...{ id: 'where', name: 'Where' },
      cell: ({ subject, marks }) =>
        marks.map((mark) => {
          const side = (axis.lanes[axis.marks[mark]?.lane ?? -1]?.name ?? '').slice(0, 1);
          return (
            <Button
              key={mark}
              look="link"
              label={`show ${side}`}
              name={`show ${side}: ${subject}`}
              onClick={() => onSelect(mark)}
            />
          );
        }),
    },
  ];
}

import type { ReactElement } from 'react';
import { foundWords } from '../../../models/words/found.ts';
import { plainText } from '../../../models/words/plain.ts';
import { textColumn } from '../../../parts/table/column-kinds.tsx';
import type { Column } from '../../../parts/table/columns.ts';
import { LocalTable } from '../../../parts/table/local-table.tsx';
import { Verdict } from '../../../parts/verdict/verdict.tsx';

/** Result of a probe. */
interface ProbeLine {
  /** The experiment of the probe, if several may have the name. */
  readonly experiment?: string;
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly verdict: string;
  readonly description: string;
}

/** Results of probes. */
export function ProbeTable({ probes }: { readonly probes: readonly ProbeLine[] }): ReactElement {
  return (
    <LocalTable
      name="run-probes"
      label="Probes"
      columns={COLUMNS}
      rows={probes}
      keyOf={({ experiment = '', name, mode }) => `${experiment} ${name} ${mode}`}
    />
  );
}

const COLUMNS: readonly Column<ProbeLine>[] = [
  textColumn('name', 'Probe', ({ name }) => plainText(name)),
  textColumn('type', 'Type', ({ type }) => type),
  textColumn('mode', 'Mode', ({ mode }) => mode),
  {
    ...{ id: 'verdict', name: 'Verdict', order: ({ verdict }) => verdict },
    cell: ({ verdict }) => <Verdict state={verdict} />,
  },
  {
    ...{ id: 'found', name: 'What was found' },
    cell: ({ description }) => <bdi>{foundWords(description)}</bdi>,
  },
];

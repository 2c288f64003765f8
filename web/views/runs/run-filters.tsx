import type { ReactElement } from 'react';
import { type ListAddress, RUN_PHASES } from '../../address/list.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { INFRA_NAMES } from '../infrastructures/infrastructures-query.ts';
import { type ChangeList, FilterChoice, SearchField } from '../list-parts.tsx';
import { useAsk } from '../use-ask.ts';

const PHASES = RUN_PHASES.slice(1).map((phase) => [phase, stateWords(phase).word] as const);

/** Whether a link shows only a part of a list. Pure. */
export function isFiltered({ find, phase, infra }: ListAddress): boolean {
  return [find, phase, infra].some((one) => one !== '');
}

/** What shows everything again. */
export const UNFILTERED = { find: '', phase: '', infra: '', page: undefined } as const;

/** The filters of runs, and of experiments by their last run. */
export function RunFilters({
  project,
  address: { find, phase, infra },
  change,
}: {
  readonly project: string;
  readonly address: ListAddress;
  readonly change: ChangeList;
}): ReactElement {
  const infras = useAsk(INFRA_NAMES, { projectID: project }, () => false);
  const names =
    infras.state === 'shown'
      ? infras.data.listInfras.infras.flatMap((one) =>
          one === null ? [] : [[one.infraID, one.name] as const],
        )
      : [];
  return (
    <SearchField value={find} onChange={(text) => change({ find: text, page: undefined }, 'replace')}>
      <FilterChoice
        label="State"
        all="All states"
        value={phase}
        choices={PHASES}
        onChange={(chosen) =>
          change({ phase: RUN_PHASES.find((one) => one === chosen) ?? '', page: undefined }, 'push')
        }
      />
      <FilterChoice
        label="Infrastructure"
        all="All infrastructures"
        value={infra}
        choices={names}
        onChange={(id) => change({ infra: id, page: undefined }, 'push')}
      />
    </SearchField>
  );
}

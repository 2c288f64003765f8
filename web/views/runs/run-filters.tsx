import type { ReactElement } from 'react';
import { type ListAddress, RUN_PHASES, SCHEDULE_TYPES } from '../../address/list.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { dayRange } from '../../models/words/days.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { INFRA_NAMES } from '../infrastructures/generated/infrastructures.ts';
import { type ChangeList, FilterChoice, SearchField } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { useAsk } from '../use-ask.ts';

const TYPES = [
  ['CRON', 'With a schedule'],
  ['NON_CRON', 'On demand'],
] as const;
/** Date fields for days of the reader. */
const DAYS = [
  ['from', 'Changed from this day on'],
  ['to', 'Changed to this day'],
] as const;
const PHASES = RUN_PHASES.slice(1).map((phase) => [phase, stateWords(phase).word] as const);

/** Whether a link shows only a part of a list. Pure. */
export function isFiltered({ find, phase, infra, type, from, to }: ListAddress): boolean {
  return [find, phase, infra, type, from, to].some((one) => one !== '');
}

/** The state without filters. */
export const UNFILTERED: Partial<ListAddress> = {
  ...{ find: '', phase: '', infra: '', type: '', from: '', to: '' },
  page: undefined,
};

/**
 * What requests for runs and for experiments have in common: page, order, and the filters for name, infrastructure and last change. Pure.
 *
 * @param named the column by which the list is sorted by names
 */
export function commonRequest({ page, order, find, infra, from, to }: ListAddress, named: string) {
  const dateRange = dayRange(from, to);
  return {
    pagination: { page: pageOf(page), limit: PAGE_ROWS },
    sort: {
      field: order?.by === named ? ('NAME' as const) : ('TIME' as const),
      ascending: order !== undefined && !order.isDown,
    },
    filter: {
      experimentName: find,
      ...(infra !== '' && { infraID: infra }),
      ...(dateRange !== undefined && { dateRange }),
    },
  };
}

/** The filters of runs, and of experiments by their last run. */
export function RunFilters({
  project,
  address: { find, phase, infra, type, ...days },
  change,
}: {
  readonly project: string;
  readonly address: ListAddress;
  readonly change: ChangeList;
}): ReactElement {
  const infras = useAsk(INFRA_NAMES, { projectID: project });
  const names = (knownData(infras)?.listInfras.infras ?? []).flatMap((one) =>
    one === null ? [] : [[one.infraID, one.name] as const],
  );
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
      <FilterChoice
        label="Type"
        all="All types"
        value={type}
        choices={TYPES}
        onChange={(chosen) =>
          change({ type: SCHEDULE_TYPES.find((one) => one === chosen) ?? '', page: undefined }, 'push')
        }
      />
      {DAYS.map(([name, label]) => (
        <label key={name}>
          {label}{' '}
          <input
            type="date"
            value={days[name]}
            onChange={({ target }) => change({ [name]: target.value, page: undefined }, 'replace')}
          />
        </label>
      ))}
    </SearchField>
  );
}

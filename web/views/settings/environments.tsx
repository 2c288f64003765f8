import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS } from '../../address/list.ts';
import { listPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { plainText } from '../../models/words/plain.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { actsColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { ActionButton } from '../action-button.tsx';
import { ChoiceField, Form, TextField, type Texts } from '../form.tsx';
import { FilteredOut, ListTable, SearchField } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAskProject } from '../use-ask-project.ts';
import { usePermissions } from '../use-permissions.ts';
import {
  CREATE_ENVIRONMENT,
  DELETE_ENVIRONMENT,
  ENVIRONMENTS,
  type ListedEnvironment,
} from './generated/environments.ts';

const TYPES = [
  ['NON_PROD', 'development and tests'],
  ['PROD', 'production'],
] as const;

/** Named groups of infrastructures. */
export function Environments({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const page = pageOf(state.page);
  const variables = {
    ...{ projectID: project, page, limit: PAGE_ROWS, name },
    ascending: state.order?.isDown !== true,
  };
  const view = useAskProject(
    ENVIRONMENTS,
    variables,
    ['environment', 'infra'],
    ({ listEnvironments }) => (listEnvironments?.totalNoOfEnvironments ?? 0) === 0,
  );
  const may = usePermissions(project);
  return (
    <>
      <p className="facts">
        <Live connection={view.connection} />
      </p>
      {may('createEnvironment') ? <Make project={project} onDone={view.retry} /> : null}
      <SearchField value={state.find} onChange={(find) => change({ find, page: undefined }, 'replace')} />
      <StateView
        view={view}
        what="the environments"
        empty={
          name === '' ? (
            <Notice
              title="No environments yet"
              text={
                may('createEnvironment')
                  ? 'Create one above, or connect an infrastructure, which makes one as well.'
                  : `${whoMay('createEnvironment')} of the project can make one.`
              }
            />
          ) : (
            <FilteredOut
              what="environment"
              hidden={undefined}
              onClear={() => change({ find: '', page: undefined }, 'push')}
            />
          )
        }
      >
        {({ listEnvironments }) => (
          <ListTable
            name="environments"
            label="Environments"
            columns={[...columnsOf(project), may('deleteEnvironment') && deletion(project, view.retry)]}
            rows={listEnvironments?.environments ?? []}
            keyOf={({ environmentID }) => environmentID}
            total={listEnvironments?.totalNoOfEnvironments ?? 0}
          />
        )}
      </StateView>
    </>
  );
}

function Make({ project, onDone }: { readonly project: string; onDone(): void }): ReactElement {
  return (
    <details>
      <summary>Create an environment</summary>
      <Form submit="Create" run={(text) => create(project, text)} onDone={onDone}>
        <TextField name="name" label="Name" />
        <TextField name="id" label="ID, never changed; letters, digits, dashes" />
        <ChoiceField name="type" label="Type" choices={TYPES} />
        <TextField name="description" label="Description" isNeeded={false} />
      </Form>
    </details>
  );
}

function columnsOf(projectID: string): readonly Column<ListedEnvironment>[] {
  return [
    {
      id: 'name',
      name: 'Environment',
      order: 'server',
      cell: ({ name, description }) => <bdi title={plainText(description ?? '') || undefined}>{name}</bdi>,
    },
    { id: 'id', name: 'ID', cell: ({ environmentID }) => <bdi>{environmentID}</bdi> },
    { id: 'type', name: 'Type', cell: ({ type }) => TYPES.find(([value]) => value === type)?.[1] },
    {
      id: 'infras',
      name: 'Infrastructures',
      isNumber: true,
      cell: ({ infraIDs }) => (
        <Link href={listPath(projectID, 'infrastructures')}>{infraIDs?.length ?? 0}</Link>
      ),
    },
  ];
}

function deletion(projectID: string, onDone: () => void): Column<ListedEnvironment> {
  return actsColumn(({ environmentID: id, name }) => (
    <ActionButton
      label="Delete"
      name={`Delete ${name}`}
      question="Deletes the environment; its infrastructures and their experiments are kept."
      run={() => ask(DELETE_ENVIRONMENT, { projectID, id })}
      onDone={onDone}
    />
  ));
}

function create(projectID: string, text: Texts): Promise<unknown> {
  const type = text('type') === 'PROD' ? 'PROD' : 'NON_PROD';
  const given = { environmentID: text('id'), name: text('name'), description: text('description') };
  return ask(CREATE_ENVIRONMENT, { projectID, request: { ...given, type } });
}

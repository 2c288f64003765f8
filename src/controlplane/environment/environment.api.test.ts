import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

const CREATE = `mutation ($p: ID!, $r: CreateEnvironmentRequest) {
  createEnvironment(projectID: $p, request: $r) { environmentID name type tags description createdBy { username } }
}`;
const LIST = `query ($p: ID!, $r: ListEnvironmentRequest) {
  listEnvironments(projectID: $p, request: $r) { totalNoOfEnvironments environments { environmentID name infraIDs } }
}`;

const request = (environmentID: string, more: object = {}): object => ({
  environmentID,
  name: environmentID.toUpperCase(),
  type: 'NON_PROD',
  ...more,
});

describeOnDatabases('environments', (database) => {
  test('createEnvironment, getEnvironment, updateEnvironment, deleteEnvironment', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);

    const made = await server.data(CREATE, { p, r: request('staging', { tags: ['a', 'b'] }) }, owner);
    assert.deepEqual(made.createEnvironment, {
      environmentID: 'staging',
      name: 'STAGING',
      type: 'NON_PROD',
      tags: ['a', 'b'],
      description: '',
      createdBy: { username: 'olga' },
    });

    const update = `mutation ($p: ID!) { updateEnvironment(projectID: $p, request: { environmentID: "staging", description: "new" }) }`;
    assert.equal(
      (await server.data(update, { p }, owner)).updateEnvironment,
      'environment updated successfully',
    );
    const get = `query ($p: ID!) { getEnvironment(projectID: $p, environmentID: "staging") { name description tags } }`;
    assert.deepEqual((await server.data(get, { p }, owner)).getEnvironment, {
      name: 'STAGING',
      description: 'new',
      tags: ['a', 'b'],
    });

    const remove = `mutation ($p: ID!) { deleteEnvironment(projectID: $p, environmentID: "staging") }`;
    assert.equal(
      (await server.data(remove, { p }, owner)).deleteEnvironment,
      'successfully deleted environment',
    );
    const unknown = await server.graphql(get, { p }, owner);
    assert.deepEqual(
      unknown.errors.map(({ message, extensions }) => [message, extensions?.code]),
      [['no environment staging in this project', 'not-found']],
    );
    const again = await server.graphql(remove, { p }, owner);
    assert.deepEqual(
      again.errors.map(({ message, extensions }) => [message, extensions?.code]),
      [['no environment staging in this project', 'not-found']],
    );

    const operations = await server.plane.store.read
      .selectFrom('audit')
      .select('operation')
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      operations.map(({ operation }) => operation),
      ['createEnvironment', 'updateEnvironment', 'deleteEnvironment'],
    );
  });

  test('an ID occurs once in a project, and again in a second project or after deletion', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const other = await server.project([[owner, 'Owner']]);
    await server.data(CREATE, { p, r: request('staging') }, owner);

    const twice = await server.graphql(CREATE, { p, r: request('staging') }, owner);
    assert.equal(twice.errors[0]?.message, 'environment staging already exists');
    await server.data(CREATE, { p: other, r: request('staging') }, owner);
  });

  test('listEnvironments: filter, order, pages, infrastructures', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    for (const name of ['test', 'b_1', 'bx1']) await server.data(CREATE, { p, r: request(name) }, owner);
    const { infraID } = await server.agent(p);
    const list = async (r: object): Promise<unknown> =>
      (await server.data(LIST, { p, r }, owner)).listEnvironments;

    assert.deepEqual(await list({ filter: { name: 'b_' } }), {
      totalNoOfEnvironments: 1,
      environments: [{ environmentID: 'b_1', name: 'B_1', infraIDs: [] }],
    });
    assert.deepEqual(
      await list({ sort: { field: 'NAME', ascending: true }, pagination: { page: 1, limit: 2 } }),
      {
        totalNoOfEnvironments: 3,
        environments: [{ environmentID: 'test', name: 'TEST', infraIDs: [infraID] }],
      },
    );
  });
});

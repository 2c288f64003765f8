import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestServer } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

const FIELDS =
  'imageRegistryID isDefault createdBy { username } imageRegistryInfo { imageRegistryName imageRepoName imageRegistryType secretName enableRegistry }';
const GET = `query ($p: String!) { getImageRegistry(projectID: $p) { ${FIELDS} } }`;
const LIST = `query ($p: String!) { listImageRegistry(projectID: $p) { ${FIELDS} } }`;
const CREATE = `mutation ($p: String!, $i: ImageRegistryInput!) { createImageRegistry(projectID: $p, imageRegistryInfo: $i) { ${FIELDS} } }`;
const UPDATE = `mutation ($p: String!, $id: String!, $i: ImageRegistryInput!) { updateImageRegistry(projectID: $p, imageRegistryID: $id, imageRegistryInfo: $i) { ${FIELDS} } }`;
const DELETE =
  'mutation ($p: String!, $id: String!) { deleteImageRegistry(projectID: $p, imageRegistryID: $id) }';

const OWN = {
  isDefault: false,
  imageRegistryName: 'registry.example',
  imageRepoName: 'team',
  imageRegistryType: 'private',
  secretName: 'pull',
};

interface Registry {
  readonly imageRegistryID: string;
  readonly isDefault: boolean;
  readonly imageRegistryInfo: { readonly imageRegistryName: string; readonly imageRepoName: string };
}

describeOnDatabases('image registries', (database) => {
  test('getImageRegistry, listImageRegistry, createImageRegistry, updateImageRegistry, deleteImageRegistry', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const run = async (query: string, variables: object = {}): Promise<never> =>
      Object.values(await server.data(query, { p, ...variables }, owner))[0] as never;
    const refused = async (query: string, variables: object = {}): Promise<string | undefined> =>
      (await server.graphql(query, { p, ...variables }, owner)).errors[0]?.extensions?.code;

    const first: Registry = await run(GET);
    assert.deepEqual(
      [first.isDefault, first.imageRegistryInfo.imageRegistryName, first.imageRegistryInfo.imageRepoName],
      [true, 'docker.io', 'litmuschaos'],
    );
    assert.deepEqual(await run(LIST), [first]);
    assert.equal(await refused(DELETE, { id: first.imageRegistryID }), 'invalid');

    const made: Registry = await run(CREATE, { i: OWN });
    assert.notEqual(made.imageRegistryID, first.imageRegistryID);
    assert.deepEqual(await run(GET), made);
    assert.equal(await refused(CREATE, { i: OWN }), 'conflict');
    const changed: Registry = await run(UPDATE, {
      id: made.imageRegistryID,
      i: { ...OWN, imageRepoName: 'other' },
    });
    assert.deepEqual(
      [changed.imageRegistryID, changed.imageRegistryInfo.imageRepoName],
      [made.imageRegistryID, 'other'],
    );
    assert.equal(await refused(UPDATE, { id: 'none', i: OWN }), 'not-found');
    assert.equal(
      await refused(UPDATE, { id: made.imageRegistryID, i: { ...OWN, imageRepoName: 'a b' } }),
      'invalid',
    );

    assert.equal(await run(DELETE, { id: made.imageRegistryID }), 'image registry deleted');
    assert.deepEqual(await run(GET), first);

    // Upstream's page changes the default it was shown.
    const own: Registry = await run(UPDATE, { id: first.imageRegistryID, i: OWN });
    assert.deepEqual(await run(GET), own);
    const rows = await server.plane.store.read
      .selectFrom('audit')
      .select(['operation', 'before', 'after'])
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      rows.map(({ operation, before, after }) => [operation, before !== null, after !== null]),
      [
        ['createImageRegistry', false, true],
        ['updateImageRegistry', true, true],
        ['deleteImageRegistry', true, false],
        ['updateImageRegistry', false, true],
      ],
    );
  });

  test('another project’s registry is not to be seen', async () => {
    const server = await TestServer.start(database);
    const [owner, other] = [await server.user('olga'), await server.user('other')];
    const p = await server.project([[owner, 'Owner']]);
    const foreign = await server.project([[other, 'Owner']]);
    const made = (await server.data(CREATE, { p, i: OWN }, owner)).createImageRegistry as Registry;
    const { errors } = await server.graphql(DELETE, { p: foreign, id: made.imageRegistryID }, other);
    assert.equal(errors[0]?.extensions?.code, 'not-found');
    assert.equal((await server.graphql(GET, { p }, other)).errors[0]?.extensions?.code, 'forbidden');
  });
});

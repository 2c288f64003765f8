import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { ensureLocalInfra } from './local-infra.ts';
import { TestServer } from './testing/test-server.ts';

const INFRAS = `query ($p: ID!) {
  listInfras(projectID: $p) { infras { infraID name environmentID infraNamespace isInfraConfirmed } }
}`;
const HEARD = `mutation ($r: InfraActionResult!) { infraActionResult(request: $r) }`;

describeOnDatabases('the cluster of a server for one person', (database) => {
  test('listInfras has each cluster once; its agent is known by the key of the last start only', async () => {
    const server = await TestServer.start(database);
    const user = await server.user('lena', 'admin');
    const project = await server.project([[user, 'Owner']]);
    const begin = (name: string) =>
      ensureLocalInfra(server.plane, project, { name, namespace: 'litmus' }, 'lena');
    const first = await begin('127.0.0.1:6443');
    const other = await begin('local');
    const again = await begin('127.0.0.1:6443');
    assert.equal(again.infraID, first.infraID);
    assert.notEqual(other.infraID, first.infraID);

    const { listInfras } = (await server.data(INFRAS, { p: project }, user)) as {
      listInfras: { infras: { name: string }[] };
    };
    const common = { environmentID: 'local', infraNamespace: 'litmus', isInfraConfirmed: true };
    assert.deepEqual(
      listInfras.infras.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      [
        { infraID: first.infraID, name: '127.0.0.1:6443', ...common },
        { infraID: other.infraID, name: 'local', ...common },
      ],
    );
    const reports = async (infraID: typeof first): Promise<string> => {
      const result = { requestID: 'r', requestType: 'create', isDone: true, message: '' };
      const { errors } = await server.graphql(HEARD, { r: { infraID, ...result } });
      return errors.map(({ message }) => message).join();
    };
    assert.equal(await reports(again), '');
    assert.notEqual(await reports(first), '');
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../../services/errors.ts';
import { chooseInfra, type RemoteInfra } from './infras.ts';

const EAST: RemoteInfra = { infraID: 'id-1', name: 'east' };
const WEST: RemoteInfra = { infraID: 'id-2', name: 'west' };
const WEST_TOO: RemoteInfra = { infraID: 'id-3', name: 'west' };
const NAMED_LIKE_AN_ID: RemoteInfra = { infraID: 'id-4', name: 'id-1' };
const names = async (): Promise<string[]> => ['east', 'we\u001bst'];

for (const [what, infras, wanted, expected] of [
  ['by its name', [EAST, WEST], 'east', EAST],
  ['by its ID', [EAST, WEST], 'id-2', WEST],
  ['by its ID before the name of another one', [NAMED_LIKE_AN_ID, EAST], 'id-1', EAST],
  ['by its ID among several of one name', [WEST, WEST_TOO], 'id-3', WEST_TOO],
] as const) {
  test(`an infrastructure is found ${what}`, async () => {
    assert.deepEqual(await chooseInfra(infras, wanted, names), expected);
  });
}

test('of several infrastructures of one name none is taken by that name', async () => {
  await assert.rejects(chooseInfra([WEST, WEST_TOO], 'west', names), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /there are 2 infrastructures "west": give the ID of one of them: id-2, id-3/);
    return true;
  });
});

test('an infrastructure that only resembles the wanted name is not taken, and the message has those that there are', async () => {
  await assert.rejects(chooseInfra([{ infraID: 'id-5', name: 'east-2' }], 'east-', names), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /there is no infrastructure "east-"; there are: east, we st/);
    return true;
  });
});

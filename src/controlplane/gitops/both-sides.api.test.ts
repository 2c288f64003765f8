import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seeded } from '../../../test/support/seeded.ts';
import { startGitServer } from '../remote/testing/git-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { readDocuments } from './content/documents.ts';
import { GitScene } from './testing/git-scene.ts';

const DELETE = 'mutation ($p: ID!, $id: String!) { deleteChaosExperiment(projectID: $p, experimentID: $id) }';
const ROUNDS = 5;
const FILES = ['a.yaml', 'b.yaml', 'team/c.yaml'];

/** Documents of the repository: file, name and the experiment that each names. */
async function documents(place: GitScene): Promise<{ path: string; name: string; experimentID: string }[]> {
  const all: { path: string; name: string; experimentID: string }[] = [];
  for (const file of await place.files()) {
    if (!file.endsWith('.yaml')) continue;
    const read = readDocuments(file, await place.file(file));
    assert.deepEqual(read.problems, []);
    all.push(...read.documents);
  }
  return all;
}

/** Some pushes: documents added to a file, files changed, emptied, moved. */
async function editRepository(place: GitScene, random: Seeded, round: number): Promise<void> {
  const there = new Set(await place.files());
  const changed: Record<string, string | null> = {};
  for (const file of FILES) {
    const before = there.has(file) ? await place.file(file) : undefined;
    if (random.chance(0.5)) continue;
    const added = place.document(`git-${round}-${file.replace(/\W/g, '')}`);
    if (before === undefined) changed[place.path(file)] = added;
    else if (random.chance(0.4)) changed[place.path(file)] = `${before}\n---\n${added}`;
    else if (random.chance(0.5))
      changed[place.path(file)] = before.replaceAll(/seconds: s\d+/g, `seconds: s${round}00`);
    else {
      changed[place.path(file)] = null;
      if (random.chance(0.5)) changed[place.path(`moved-${round}-${file}`)] = before;
    }
  }
  await place.git.commit(changed);
}

/** Some saves and deletions in the project. */
async function editProject(place: GitScene, random: Seeded, round: number): Promise<void> {
  for (const [name, id] of Object.entries(await place.experiments())) {
    const choice = random.next();
    if (choice < 0.25) await place.scene.data(DELETE, { id });
    else if (choice < 0.5) {
      await place.scene.save(id, { name, manifest: place.document(name, { seconds: String(round) }) });
    }
  }
  if (random.chance(0.6))
    await place.scene.save(`e${round}`, { name: `own-${round}`, manifest: place.document(`own-${round}`) });
}

describeOnDatabases('both sides of GitOps', (database) => {
  test('are the same after each pass, whatever was done to them before, and a pass more changes nothing', async () => {
    await using git = await startGitServer();
    const place = await GitScene.start(database, git);
    await place.enable();
    await place.sync();
    const random = new Seeded(database.dialect === 'sqlite' ? 2 : 5);
    for (let round = 1; round <= ROUNDS; round += 1) {
      await editRepository(place, random, round);
      await editProject(place, random, round);
      const { problems, lastError, latestCommit } = await place.sync();
      const unexpected = problems.filter(
        ({ message }) => !message.startsWith('it was changed on both sides'),
      );
      assert.deepEqual([lastError, unexpected], [null, []], `round ${round}`);
      const inProject = Object.entries(await place.experiments()).toSorted();
      const inRepository = (await documents(place))
        .map(({ name, experimentID }) => [name, experimentID])
        .toSorted();
      assert.deepEqual(inRepository, inProject, `round ${round}`);
      const again = await place.sync();
      assert.deepEqual([again.latestCommit, again.problems], [latestCommit, []], `round ${round}`);
    }
  });
});

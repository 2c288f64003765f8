/** Two servers on one PostgreSQL database: one dies, the other goes on with everything, and the agent is back at once. */
import assert from 'node:assert/strict';
import { on } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { otherDatabase } from '../../../src/controlplane/store/testing/databases.ts';
import { connectAgents } from './agents.ts';
import { beginRun, saveExperiment, signIn, writeEstate } from './estate.ts';
import { Load } from './load.ts';
import { ServerProcess } from './server-process.ts';

const CALLERS = 4;
const LOAD_MS = 1_000;
const BACK_MS = 5_000;
const database = otherDatabase('postgres', true);
const skip = database === undefined ? 'PostgreSQL is not installed' : false;

const folder = mkdtempSync(join(tmpdir(), 'turnsole-replicas-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('what one replica has acknowledged, another one has when it is killed, and agents are back at once', {
  skip,
}, async () => {
  const location = await database?.location();
  assert.ok(location !== undefined && 'url' in location);
  const estate = await writeEstate(location, 1);
  const load = new Load(estate);
  const [dying, staying] = await Promise.all(
    ['a', 'b'].map((name) => ServerProcess.start({ folder: join(folder, name), databaseUrl: location.url })),
  );
  assert.ok(dying !== undefined && staying !== undefined);
  try {
    const client = await signIn(dying.url);
    const before = await connectAgents(client, estate);
    const working = load.work(client, CALLERS);
    await delay(LOAD_MS);
    await dying.kill();
    before.close();
    await working;
    const other = await signIn(staying.url);
    const { sockets, close } = await connectAgents(other, estate);
    assert.ok(sockets[0] !== undefined && estate.agents[0] !== undefined);
    const messages = on(sockets[0], 'message', { signal: AbortSignal.timeout(BACK_MS) });
    await saveExperiment(other, estate.project, 'afterwards', estate.agents[0].infraID);
    await beginRun(other, estate.project, 'afterwards');
    // Its order comes by the new connection.
    for await (const [message] of messages) if (String(message).includes('"infraConnect"')) break;
    assert.ok((await load.check(other)) > 0, 'nothing was acknowledged');
    close();
  } finally {
    await Promise.all([dying.kill(), staying.kill()]);
  }
});

/** Scenes of the pages: their commands are run as they are printed, in the order in which they are. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findProgram } from '@turnsole/kube/base/machine';
import { installCommand } from '../support/installed-packages.ts';
import { commandsOf } from './printed-commands/pages.ts';
import { Scene, type SceneOptions } from './printed-commands/scene.ts';
import { SCENES } from './printed-commands/scenes.ts';

describe('the commands of the pages, as they are printed', { concurrency: 4 }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnsole-printed-'));
    await installCommand(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  for (const [index, scene] of SCENES.entries())
    it(`${scene.page}: ${scene.name}`, async (t) => {
      const missing = await whyNot(scene);
      if (missing !== undefined) return t.skip(missing);
      const place = join(folder, 'scenes', `${index}`);
      mkdirSync(place, { recursive: true });
      await using played = new Scene(place);
      await scene.prepare?.(played);
      for (const step of scene.steps) {
        const text = commandsOf(scene.page).find(({ name }) => name === step.command)?.text;
        await played.run(step, text ?? assert.fail(`${scene.page} does not print ${step.command}`));
      }
    });
});

/** Why a scene cannot be tried on this machine. */
async function whyNot(scene: SceneOptions): Promise<string | undefined> {
  const missing = (scene.programs ?? []).filter(
    (name) => findProgram(name, process.env['PATH'] ?? '') === undefined,
  );
  if (missing.length > 0) return `this machine has no ${missing.join(' and ')}`;
  for (const port of scene.ports ?? [])
    if (!(await isFree(port))) return `port ${port} of this machine is taken`;
  return undefined;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, () => server.close(() => resolve(true)));
  return await promise;
}

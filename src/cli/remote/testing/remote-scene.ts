import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Role } from '../../../controlplane/access/caller.ts';
import { Scene } from '../../../controlplane/experiment/testing/scene.ts';
import type { TestUser } from '../../../controlplane/server/testing/test-server.ts';
import { ACCOUNTS, projectScope } from '../../../controlplane/store/store.ts';
import type { TestDatabase } from '../../../controlplane/store/testing/databases.ts';
import { type InProcessOutcome, inProcess } from '../../testing/in-process.ts';

type Variables = Readonly<Record<string, string>>;

/** A server that listens, with a project, its owner and an agent, and `turnsole remote` beside it; ends with the test. */
export class RemoteScene {
  readonly scene: Scene;
  readonly url: string;
  /** Folder of the user's settings, and of the test's files. */
  readonly home: string;

  private constructor(scene: Scene, url: string, home: string) {
    this.scene = scene;
    this.url = url;
    this.home = home;
  }

  static async start(database: TestDatabase): Promise<RemoteScene> {
    const scene = await Scene.start(database);
    const home = mkdtempSync(join(tmpdir(), 'turnsole-remote-'));
    after(() => rmSync(home, { recursive: true }));
    return new RemoteScene(scene, await scene.server.listen(), home);
  }

  /** Runs `turnsole remote …` with these variables only. */
  run(args: readonly string[], env: Variables = {}): Promise<InProcessOutcome> {
    return inProcess(['remote', ...args], { HOME: this.home, ...env });
  }

  /** Variables by which the project's owner, or another holder of a token, need not sign in. */
  as(token = this.scene.owner.token): Variables {
    return { TURNSOLE_SERVER: this.url, TURNSOLE_TOKEN: token };
  }

  /** Output of a command that has to succeed, by default the owner's. */
  async printed(args: readonly string[], env: Variables = this.as()): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, env);
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  }

  /** A command that has to fail: its exit code, and the error's message with the server's address as URL. */
  async refused(
    args: readonly string[],
    env: Variables = this.as(),
  ): Promise<readonly [code: number, stderr: string]> {
    const { code, stderr } = await this.run(args, env);
    return [code, stderr.replaceAll(this.url, 'URL')];
  }

  file(name: string, text: string): string {
    const path = join(this.home, name);
    writeFileSync(path, text);
    return path;
  }

  async addMember({ id }: TestUser, role: Role): Promise<void> {
    const { server, project } = this.scene;
    await server.plane.store.transaction(projectScope(project), ({ db, now }) =>
      db
        .insertInto('members')
        .values({
          ...{ project_id: project, user_id: id, role, invitation: 'Accepted' },
          ...{ invited_at: now, joined_at: now },
        })
        .execute(),
    );
  }

  /** Gives a user who is there a password. */
  async setPassword(username: string, password: string, initial = false): Promise<void> {
    const { store, passwords } = this.scene.server.plane;
    const password_hash = await passwords.hash(password);
    await store.transaction(ACCOUNTS, ({ db }) =>
      db
        .updateTable('users')
        .set({ password_hash, initial_login: initial ? 1 : 0 })
        .where('username', '=', username)
        .execute(),
    );
  }
}

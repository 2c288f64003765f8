/** A project on the real control plane, with its page in a browser: what most tests of views begin with. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { browserMissing, openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { buildOnce } from './page-server.ts';

const database = otherDatabase('sqlite', true);

/** Why it cannot be had here, or false when it can. */
export const skip: string | false = database === undefined ? 'no database here' : browserMissing;

/** The database of these tests. */
export function databaseHere(): NonNullable<typeof database> {
  assert.ok(database !== undefined);
  return database;
}

/** Builds the page and starts a browser; both end after the tests. */
export async function startPage(): Promise<{ readonly folder: string; readonly browser: Browser }> {
  const [built, browser] = await Promise.all([buildOnce(), startBrowser()]);
  after(async () => {
    await browser.close();
    await built[Symbol.asyncDispose]();
  });
  return { folder: built.folder, browser };
}

/** A project whose page can be opened. */
export interface ProjectPage {
  /** The folder of the built page. */
  readonly folder: string;
  readonly browser: Browser;
  readonly scene: Scene;
  readonly address: string;
  /** Opens a page of the project as its owner, or by the token of somebody else. */
  open(
    path: string,
    options?: { readonly token?: string } & Parameters<typeof openPage>[1],
  ): Promise<WatchedPage>;
}

/** Starts all of it. @param options of the server, besides the folder of the page */
export async function startProject(options: { readonly secretKey?: Buffer } = {}): Promise<ProjectPage> {
  const { folder, browser } = await startPage();
  const scene = await Scene.start(databaseHere(), { settings: { pageFolder: folder }, ...options });
  const address = await scene.server.listen();
  return {
    ...{ folder, browser, scene, address },
    open: async (path, { token = scene.owner.token, ...context } = {}) => {
      const watched = await openPage(browser, context);
      await watched.page.context().addCookies([scene.server.cookieOf(token, address)]);
      await watched.page.goto(`${address}/ui/project/${scene.project}/${path}`);
      return watched;
    },
  };
}

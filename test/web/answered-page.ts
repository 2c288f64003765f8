/** The page with given answers in a browser, for the tests of a file. */
import { after, afterEach, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { browserMissing, closePages, openPage, startBrowser, type WatchedPage } from './chromium.ts';
import { type Answers, type BuiltFolder, buildOnce, type PageServer, servePage } from './page-server.ts';

type Opened = WatchedPage & { readonly server: PageServer };

/** What {@link answeredPages} gives. */
interface AnsweredPages {
  /** Opens an address below `/ui` on a server of its own with these answers. @param script runs before the page's own */
  open(
    answers: Answers,
    path: string,
    options?: { readonly script?: string } & Parameters<typeof openPage>[1],
  ): Promise<Opened>;
  /** Opens an empty page beside. */
  beside(): Promise<WatchedPage>;
}

/** Builds the page and starts a browser before the tests of a file, and ends all of it after them. */
export function answeredPages(): AnsweredPages {
  let browser: Browser;
  let built: BuiltFolder;
  const servers: PageServer[] = [];
  if (browserMissing === false) {
    before(async () => {
      [browser, built] = await Promise.all([startBrowser(), buildOnce()]);
    });
    afterEach(() => closePages(browser));
    after(async () => {
      await browser.close();
      await Promise.all(servers.map(({ app }) => app.close()));
      await built[Symbol.asyncDispose]();
    });
  }
  return {
    open: async (answers, path, { script, ...options } = {}) => {
      const server = await servePage(built.folder, answers);
      servers.push(server);
      const opened = await openPage(browser, options);
      if (script !== undefined) await opened.page.addInitScript(script);
      await opened.page.goto(`${server.address}/ui${path}`);
      return { ...opened, server };
    },
    beside: () => openPage(browser),
  };
}

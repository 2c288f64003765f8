import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The browser that people use. */
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/**
 * The same engine without a browser's windows, which are pages themselves: opening a page takes less than half of the processor time of the
 * whole browser.
 */
const SHELLS = ['/usr/bin/chromium-headless-shell'];
/** The one that tests start; undefined where there is none. */
export const executablePath = [...SHELLS, ...BROWSERS].find((path) => existsSync(path));

/** Why tests in a browser cannot run here, or false when they can. */
export const browserMissing: string | false = executablePath === undefined ? 'no Chromium here' : false;

/** No profile services: they would ask the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * What Chromium says of its connections when a network interface of the machine comes or goes, as those of other tests' pods do. The page
 * connects again by itself; what it then shows is what tests look at.
 */
const OF_THE_MACHINE = 'net::ERR_NETWORK_CHANGED';

/** How long something may take to show: it comes much sooner, but for a machine that does much else. A test has no limit besides. */
const SHOWN_MS = 90_000;

/** Starts a browser without a window. */
export async function startBrowser(): Promise<Browser> {
  return launch(executablePath);
}

/** Starts the browser that people use, for what is measured: where only the shell is, that one. */
export async function startWholeBrowser(): Promise<Browser> {
  return launch(BROWSERS.find((path) => existsSync(path)) ?? executablePath);
}

async function launch(path: string | undefined): Promise<Browser> {
  return chromium.launch({ ...(path === undefined ? {} : { executablePath: path }), args: FLAGS });
}

/**
 * Waits until the first element of a selector is wholly in the window. It is looked for in each frame: a page renders elements anew. Scripts of
 * a test may be, the page's policy lets no string become one.
 */
export async function inWindow(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().waitFor();
  await page.evaluate(`(async () => {
    const nextFrame = () => new Promise(requestAnimationFrame);
    const partSeen = (element) => new Promise((resolve) => {
      const seen = new IntersectionObserver(([entry]) => {
        seen.disconnect();
        resolve(entry.intersectionRatio);
      });
      seen.observe(element);
    });
    for (const end = performance.now() + ${SHOWN_MS}; performance.now() < end; await nextFrame()) {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (element !== null && (await partSeen(element)) >= 0.99) return;
    }
    throw new Error(${JSON.stringify(`${selector} did not come into the window`)});
  })()`);
}

/** Closes every page of a browser. A page that is left open goes on drawing what its server tells, in a process of its own, beside later tests. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** A page with what it said and asked for. */
export interface WatchedPage {
  readonly page: Page;
  /** Everything that the page has a part in: the console, errors of scripts, and reports of the content security policy. */
  readonly problems: string[];
  /** Every address that was asked for. */
  readonly requests: string[];
}

/** Opens an empty page of its own, 1400 × 900 in light colours unless told otherwise. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    colorScheme: 'light',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(SHOWN_MS);
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (!message.text().includes(OF_THE_MACHINE)) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, problems, requests };
}

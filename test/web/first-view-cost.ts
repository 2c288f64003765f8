import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { MOST_OF_A_VIEW } from '../../build/first-views.ts';
import { openPage } from './chromium.ts';

/** What a first view has cost, with nothing in the browser's cache. */
export interface FirstViewCost {
  /** Everything that was asked for: the document, its files, answers of the API and connections for changes. */
  readonly requests: number;
  /** Everything that came, with the heads of answers. */
  readonly bytes: number;
  /** From the address to the words that were waited for, in milliseconds. */
  readonly dataMs: number;
}

/** Opens an address with an empty cache, waits until it says these words and asks for nothing more, and tells what that has cost. */
export async function firstViewCost(
  browser: Browser,
  address: string,
  cookie: { readonly name: string; readonly value: string; readonly url: string } | undefined,
  words: string | RegExp,
): Promise<FirstViewCost> {
  const { page, problems } = await openPage(browser);
  if (cookie !== undefined) await page.context().addCookies([cookie]);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let [requests, bytes] = [0, 0];
  session.on('Network.requestWillBeSent', ({ request }) => {
    // Pictures that are part of a style sheet or of the browser are told of as well.
    if (!request.url.startsWith('data:')) requests += 1;
  });
  session.on('Network.webSocketCreated', () => {
    requests += 1;
  });
  session.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const begun = performance.now();
  await page.goto(address);
  await page.getByText(words).filter({ visible: true }).first().waitFor();
  const dataMs = Math.round(performance.now() - begun);
  await page.waitForLoadState('networkidle');
  assert.deepEqual(problems, []);
  await page.context().close();
  return { requests, bytes, dataMs };
}

/** What a first view may cost. */
type Most = Pick<FirstViewCost, 'requests' | 'bytes'>;

/** Whether a first view cost more than it may. */
export function isHeavy({ requests, bytes }: FirstViewCost, most: Most): boolean {
  return requests > most.requests || bytes > most.bytes;
}

/** Fails for first views that cost more than they may. @param costs by what was looked at */
export function assertLight(
  costs: Readonly<Record<string, FirstViewCost>>,
  most: Most = MOST_OF_A_VIEW,
): void {
  const heavy = Object.entries(costs).filter(([, cost]) => isHeavy(cost, most));
  assert.deepEqual(Object.fromEntries(heavy), {}, `at most ${JSON.stringify(most)} may be`);
}

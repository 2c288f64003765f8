import { PAUSES_MS } from './persistently.ts';

/**
 * Loads a style sheet again that could not be loaded: after the pauses of `persistently`, and after these each time that the browser is online
 * again. A script that is lost is asked for again by whoever imports it; nobody asks again for a style sheet, and the page would stay without it.
 */
export function keepStyles(
  document: Pick<Document, 'addEventListener'>,
  window: Pick<Window, 'addEventListener' | 'setTimeout'>,
): void {
  const tries = new Map<string, number>();
  const lost = new Set<HTMLLinkElement>();
  const again = (link: HTMLLinkElement): void => {
    const next = link.cloneNode() as HTMLLinkElement;
    next.addEventListener('load', () => tries.delete(next.href));
    link.replaceWith(next);
  };
  // Errors of elements do not bubble, but are captured.
  document.addEventListener(
    'error',
    ({ target }) => {
      if (!isStyleSheet(target)) return;
      const tried = tries.get(target.href) ?? 0;
      const pause = PAUSES_MS[tried];
      if (pause === undefined) {
        lost.add(target);
        return;
      }
      tries.set(target.href, tried + 1);
      window.setTimeout(() => again(target), pause);
    },
    true,
  );
  window.addEventListener('online', () => {
    tries.clear();
    for (const link of lost) again(link);
    lost.clear();
  });
}

function isStyleSheet(target: EventTarget | null): target is HTMLLinkElement {
  return target instanceof HTMLLinkElement && target.rel === 'stylesheet';
}

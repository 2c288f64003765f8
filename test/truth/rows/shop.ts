/** An application that needs another one for its answers: how it takes what happens to that is what most rows are about. */
import { APP_PORT, type Application } from '../application.ts';

/** As the front knows it. */
export const BACKEND_URL = `http://backend:${APP_PORT}/`;

/** Asked by users; asks the backend for each answer, and waits for it as long as it takes. */
export const FRONT: Application = { name: 'web', env: { DEPENDENCY: BACKEND_URL } };

/** The same, with an answer of its own when the backend has none. */
export const FRONT_WITH_FALLBACK: Application = { ...FRONT, env: { ...FRONT.env, FALLBACK: 'yes' } };

/** Asked by the front. */
export function backend(env: Readonly<Record<string, string>> = {}): Application {
  return { name: 'backend', env };
}

/** The front waits for the backend for so long, where it does not wait for good. */
export const SHORT_WAIT_MS = '300';

/** Far longer than users wait. */
export const LONG_MS = 15_000;

/** Chaos in which users can wait in vain. */
export const LONG_ENOUGH = { TOTAL_CHAOS_DURATION: '8' };

/** So long users wait where an application may hang: far longer than an answer takes, and far shorter than {@link LONG_MS}. */
export const USERS_WAIT = { withinMs: 5000 };

/** An application that needs another one for its answers: how it takes what happens to that is what most rows are about. */
import { APP_PORT, type Application } from '../application.ts';

/** Asked by users; asks the backend for each answer, and waits for it as long as it takes. */
export const FRONT: Application = { name: 'web', env: { DEPENDENCY: `http://backend:${APP_PORT}/` } };

/** The same, with an answer of its own when the backend has none. */
export const FRONT_WITH_FALLBACK: Application = { ...FRONT, env: { ...FRONT.env, FALLBACK: 'yes' } };

/** Asked by the front. */
export function backend(env: Readonly<Record<string, string>> = {}): Application {
  return { name: 'backend', env };
}

/** The front waits for the backend for so long, where it does not wait for good. */
export const SHORT_WAIT_MS = '300';

/** Far longer than users wait. */
export const LONG_MS = 5000;

/** So long users wait: far longer than an answer takes, also on a busy machine, and far shorter than {@link LONG_MS}. */
export const USERS_WAIT = { withinMs: 2500 };

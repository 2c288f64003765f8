import { joinErrors } from './injector.ts';

/** Does `action` and then in any case `after`; throws the errors of both. */
export async function runWithCleanup(action: () => Promise<void>, after: () => Promise<void>): Promise<void> {
  const errors: Error[] = [];
  for (const step of [action, after]) {
    try {
      await step();
    } catch (error) {
      errors.push(error instanceof Error ? error : new Error(String(error)));
    }
  }
  if (errors.length > 0) throw joinErrors(errors);
}

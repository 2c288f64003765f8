import type { Answer } from '../../../agent-link/answer.ts';
import { done, type Outcome, refused } from './outcome.ts';

/** The outcome of an action that ends with an answer of the server. Pure. */
export function toOutcome(answer: Answer, message: string): Outcome {
  switch (answer.type) {
    case 'delivered':
      return done(message);
    case 'refused':
      return refused(`the server refused the answer: ${answer.messages.join('; ')}`);
    case 'again':
      return refused(`the answer could not be sent: ${answer.why}`);
  }
}

import { choice } from '../../experiment/injection/settings/declare.ts';
import type { OpenConnections } from './rules.ts';

/** OPEN_CONNECTIONS of faults that delay. */
export const DELAYED_CONNECTIONS = choice(
  { choices: ['delay', 'reset', 'keep'], default: 'delay' },
  'Connections that are open when it begins, which cannot be led through a proxy any more. delay: what the pod sends on them is held back ' +
    'until TCP sends it again, which is 200 ms at the least and less than twice the delay; reset: their next data resets them, so that ' +
    'clients open new ones; keep: they are left alone.',
);

/** OPEN_CONNECTIONS as an interceptor has it; the schema allows nothing else. Pure. */
export function delayed(text: string, delayMs: number, percent: number): OpenConnections {
  if (text === 'reset' || text === 'keep') return { kind: text };
  return { kind: 'delay', delayMs, percent };
}

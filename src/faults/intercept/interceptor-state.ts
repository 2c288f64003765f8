import type { FaultContext } from '../../experiment/injection/fault.ts';
import type { InterceptorUp } from './interceptor.ts';

/** Tells the ledger when the interceptor of an injection dies, when it is up again, and when it could not renew its rules. */
export function interceptorState(id: string, { force }: Pick<FaultContext, 'force'>): InterceptorUp {
  return {
    down: () => force?.lapsed(id, 'ProcessEnded'),
    up: () => force?.began(id),
    lapsed: (span) => force?.interrupted(id, span, 'NotRenewed'),
  };
}

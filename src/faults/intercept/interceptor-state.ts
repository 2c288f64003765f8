import type { FaultContext } from '../../experiment/injection/fault.ts';
import type { InterceptorUp } from './interceptor.ts';

/** Tells the ledger when the interceptor of an injection dies, and when it is up again. */
export function interceptorState(id: string, { force }: Pick<FaultContext, 'force'>): InterceptorUp {
  return { down: () => force?.lapsed(id, 'ProcessEnded'), up: () => force?.began(id) };
}

import { Injector } from '../../injection/injector.ts';
import { faultContext, type Run } from '../lifecycle/run.ts';

/** The injector of an experiment's process, for its fault with its settings; it informs probes when something is in force. */
export function injectorOf(run: Run): Injector {
  const { fault, settings, ledger } = run;
  const { tunables, runId } = settings;
  const onInForce = (): void => {
    run.force.began();
    run.probes?.chaosBegan();
  };
  return new Injector({ fault, tunables, context: faultContext(run), ledger, runId, onInForce });
}

import { type OrderMachine, orderMachine } from './machine.ts';
import type { HostServices, StoppedService } from './services.ts';

/** The services of an embedded node: parts of its cluster's process, which its machine stops and starts. */
export function embeddedServices(order: OrderMachine = orderMachine): HostServices {
  const stop = ({ node, service, reviveSeconds }: StoppedService, signal: AbortSignal): Promise<void> => {
    const mode = service === 'kubelet' ? 'stopped' : 'runtime-stopped';
    return order(node, { mode, seconds: reviveSeconds }, signal);
  };
  return { stop, renew: stop, start: ({ node }, signal) => order(node, { mode: 'running' }, signal) };
}

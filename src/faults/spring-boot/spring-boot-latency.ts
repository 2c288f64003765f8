import { idleLatency } from './assaults.ts';
import { springBootFault } from './spring-boot-fault.ts';
import { LATENCY } from './tunables.ts';

/** Calls of watched components wait. */
export default springBootFault({
  name: 'spring-boot-latency',
  summary: 'Has calls inside of Spring Boot applications wait, by their Chaos Monkey.',
  tunables: { LATENCY },
  idleReason: ({ LATENCY: latencyMs }) => idleLatency({ latencyMs }),
  assault: ({ LATENCY: latencyMs }) => ({ latencyMs }),
});

import { springBootFault } from './spring-boot-fault.ts';

/** Ends the application's process, which the kubelet restarts. */
export default springBootFault({
  name: 'spring-boot-app-kill',
  summary: 'Ends Spring Boot applications from inside, by their Chaos Monkey.',
  tunables: {},
  assault: () => ({ kill: true }),
});

import { springBootFault } from './spring-boot-fault.ts';
import { CPU_LOAD_FRACTION } from './tunables.ts';

/** Loads the CPUs from inside of the application. */
export default springBootFault({
  name: 'spring-boot-cpu-stress',
  summary: 'Loads the CPUs from inside of Spring Boot applications, by their Chaos Monkey.',
  tunables: { CPU_LOAD_FRACTION },
  assault: ({ CPU_LOAD_FRACTION: cpu }) => ({ cpu }),
});

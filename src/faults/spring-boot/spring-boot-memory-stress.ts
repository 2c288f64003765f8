import { springBootFault } from './spring-boot-fault.ts';
import { MEMORY_FILL_FRACTION } from './tunables.ts';

/** Fills the application's heap. */
export default springBootFault({
  name: 'spring-boot-memory-stress',
  summary: 'Fills the heap of Spring Boot applications, by their Chaos Monkey.',
  tunables: { MEMORY_FILL_FRACTION },
  assault: ({ MEMORY_FILL_FRACTION: memory }) => ({ memory }),
});

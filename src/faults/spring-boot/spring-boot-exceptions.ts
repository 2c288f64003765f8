import { exceptionProblems, parseArguments } from './assaults.ts';
import { springBootFault } from './spring-boot-fault.ts';
import { EXCEPTIONS } from './tunables.ts';

/** Calls of watched components throw. */
export default springBootFault({
  name: 'spring-boot-exceptions',
  summary: 'Has calls inside of Spring Boot applications throw, by their Chaos Monkey.',
  tunables: EXCEPTIONS,
  validate: ({ CM_EXCEPTIONS_TYPE, CM_EXCEPTIONS_ARGUMENTS }) =>
    exceptionProblems(CM_EXCEPTIONS_TYPE, CM_EXCEPTIONS_ARGUMENTS),
  assault: ({ CM_EXCEPTIONS_TYPE: type, CM_EXCEPTIONS_ARGUMENTS }) => ({
    exceptions: { type, arguments: parseArguments(CM_EXCEPTIONS_ARGUMENTS) ?? [] },
  }),
});

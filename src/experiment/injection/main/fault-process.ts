import type { BasicsWithRandom } from '@turnsole/kube/runtime/basics';
import type { Environment } from '@turnsole/kube/text/environment';
import { complain } from '../../../process/complain.ts';
import { type ComponentContext, type ComponentIo, runComponent } from '../../../process/component.ts';
import { POD_EXIT } from '../../../process/exit-codes.ts';
import { type FlagValues, textFlag } from '../../../process/flags.ts';
import type { PressureReader } from '../../../process/pace/pressure-reader.ts';
import { UsageError } from '../../../process/usage-error.ts';
import { AbortedError, describeError } from '../errors.ts';
import type { Fault, FaultRegistry } from '../fault.ts';

/** What the entry points use of their process; replaced in tests. */
export interface FaultProcessIo extends ComponentIo {
  /** @default lines on standard error */
  readonly complain?: typeof complain;
}

/** What the process of one fault gives to its work. */
export interface FaultProcess extends BasicsWithRandom {
  readonly fault: Fault;
  readonly env: Environment;
  /** Aborted on SIGTERM and SIGINT: the work stops, reverts and ends. */
  readonly signal: AbortSignal;
  /** Reads how busy this process and its machine are. @default nothing is recorded of it */
  readonly pressure?: PressureReader;
}

/** Input of a process for one fault. */
interface FaultProcessInput<Task> {
  /** Name of the subcommand, for messages. */
  readonly program: 'experiment' | 'helper';
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly registry: FaultRegistry;
  readonly io: FaultProcessIo;
  /** Reads the task, before anything connects. */
  readonly readTask: (name: string) => Task;
}

/** What such a process works with. */
interface FaultTask<Task> {
  readonly task: Task;
  readonly fault: Fault;
  /** Lines for people, on standard error. */
  readonly complain: (text: string) => void;
}

const FLAGS = { name: textFlag('NAME'), kubeconfig: textFlag('FILE') };

/**
 * The frame of the entry points that carry out one fault: loads the fault and its task, then does the work, whose exit code it gives.
 * A failure before or in the work goes to standard error and gives exit code 2.
 */
export function runFaultProcess<Task>(
  { program, argv, env, registry, io, readTask }: FaultProcessInput<Task>,
  work: (context: ComponentContext<FaultTask<Task>>) => Promise<number>,
): Promise<number> {
  const say = (text: string): void => (io.complain ?? complain)(text, program);
  const settings = ({ name = '' }: FlagValues<typeof FLAGS>): Promise<FaultTask<Task>> => {
    const load = chooseFault(program, name, registry);
    const task = readTask(name);
    return load().then((fault) => ({ task, fault, complain: say }));
  };
  const failed = (error: unknown): number => {
    say(describeError(error));
    return POD_EXIT.cannotStart;
  };
  const stop = {
    reason: (signal: string) => new AbortedError(`received ${signal}`),
    // Ending now would leave in place what was injected.
    onFurther: (signal: string) => say(`${signal}: already stopping, reverting first`),
  };
  const component = { name: program, flags: FLAGS, settings, serve: work, failed, termination: stop };
  return runComponent(component, argv, env, io);
}

/**
 * Upstream takes `pod-delete` when no name is given. A missing name is refused here: it is more often a mistake than a wish to
 * delete pods.
 */
function chooseFault(program: string, name: string, registry: FaultRegistry): () => Promise<Fault> {
  const known = [...registry.keys()].sort().join(', ');
  if (name === '') {
    throw new UsageError(
      `no -name given; known: ${known}; usage: turnsole ${program} -name NAME [-kubeconfig FILE]`,
    );
  }
  const load = registry.get(name);
  if (load === undefined) {
    throw new UsageError(`there is no ${program} named ${JSON.stringify(name)}; known: ${known}`);
  }
  return load;
}

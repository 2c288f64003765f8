import { Limiter } from '@turnsole/kube/base/limiter';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { messageOf } from '@turnsole/kube/text/error-message';
import { reachOf } from '../http/reach.ts';
import type { Task, TaskAnswer } from './answer.ts';
import type { PluginServer } from './plugin-task.ts';

/** What the configuration says of tasks. */
export interface TaskSettings {
  /** Whether requests may go to the loopback: on the embedded cluster, whose pods are there. @default false */
  readonly mayReachLoopback?: boolean;
  /** By the name that templates have below `plugin`. @default none */
  readonly plugins?: Readonly<Record<string, PluginServer>>;
}

interface TaskRunnerOptions extends Basics {
  /** Asked for at each task. */
  readonly settings: () => TaskSettings;
}

/** Requests that are under way at the same time; others wait. A plugin that is to be asked again later takes no place until then. */
const MOST_AT_ONCE = 64;

/**
 * Carries out `http` and `plugin` templates in the process of the controller. A task whose answer could not be stored is carried out again
 * after a restart.
 */
export class HttpAndPluginTasks {
  readonly #options: TaskRunnerOptions;
  readonly #limiter = new Limiter(MOST_AT_ONCE);

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
  }

  /** Begins a task; `answer` is called until the phase is a final one, and not after an abort. */
  run(task: Task, answer: (answer: TaskAnswer) => void, signal: AbortSignal): void {
    const report = (said: TaskAnswer): void => {
      if (!signal.aborted) answer(said);
    };
    this.#carryOut(task, report, signal).then(report, (error: unknown) => {
      if (signal.aborted) return;
      const { namespace, name } = task.workflow.metadata;
      this.#options.logger.error({ workflow: `${namespace}/${name}`, err: error }, 'a task failed');
      report({ phase: 'Error', message: messageOf(error) });
    });
  }

  async #carryOut(
    task: Task,
    report: (answer: TaskAnswer) => void,
    signal: AbortSignal,
  ): Promise<TaskAnswer> {
    const { client, clock, settings } = this.#options;
    const { mayReachLoopback = false, plugins = {} } = settings();
    if (task.template.http === undefined) {
      const { runPluginTask } = await import('./plugin-task.ts');
      return runPluginTask(task, { clock, plugins, limiter: this.#limiter }, report, signal);
    }
    const { runHttpTask } = await import('./http-task.ts');
    return this.#limiter.run(async () => {
      signal.throwIfAborted();
      return runHttpTask(task, { client, reach: reachOf({ mayReachLoopback }) }, signal);
    });
  }
}

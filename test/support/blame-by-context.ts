/**
 * Makes Node's test runner follow tests by their asynchronous context. By itself it follows every promise with async hooks, to know which
 * test an uncaught exception belongs to, and whose subtest a `test()` is: that takes more than half of the processor time of
 * tests that compute. The engine carries a context (AsyncLocalStorage) along for nothing, and it answers the same two questions.
 *
 * To be loaded before `node:test` is, by `--import`: it replaces what the runner takes from `node:async_hooks` while the runner
 * loads, and restores it afterwards. A runner that takes something else works as before, only slower. Why it is worth it:
 * docs/decisions/0037-tests-followed-by-context.md.
 */
import hooks from 'node:async_hooks';

type Init = (asyncId: number, type: string, triggerAsyncId: number, resource: object) => void;

const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks;

/** The asynchronous ID of the test that runs. */
const running = new AsyncLocalStorage<number>();

/** What the runner wants to know of its tests. */
let tellRunner: Init | undefined;

/** The runner's async resource of a test. */
class TestResource extends AsyncResource {
  constructor(type: string, options?: hooks.AsyncResourceOptions) {
    super(type, options);
    tellRunner?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Args extends unknown[], Result>(
    fn: (this: This, ...args: Args) => Result,
    thisArg: This,
    ...args: Args
  ): Result {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => fn.apply(thisArg, args)));
  }
}

Object.assign(hooks, {
  AsyncResource: TestResource,
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
  createHook({ init }: { readonly init: Init }) {
    tellRunner = init;
    return {
      enable() {},
      disable() {
        tellRunner = undefined;
      },
    };
  },
});
await import('node:test');
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });

/** How long a finished process may take to end by itself. One that has nothing open takes none of it. */
const END_MS = 10;

/**
 * Ends this process with a code, after what is under way on it has come to rest.
 *
 * `process.exit` waits for the threads of V8, and one of them may wait for a garbage collection by this thread, which then never comes: the
 * process would stay for ever (nodejs/node#54918, in Node 24 and 26). When nothing is left to do, Node has waited for those threads in the
 * way that lets them collect. What would hold the process, such as idle sockets, gets the time in which they are done, and is cut off.
 */
export function endProcess(code: number): void {
  process.exitCode = code;
  // The work is done: an error of what was given up must not become the code of the process.
  process.on('uncaughtException', () => {});
  // A process that ends by itself first removes its signal handlers, and a SIGTERM that comes then kills it: its code would be 143.
  process.on('beforeExit', () => process.exit(code));
  setTimeout(() => process.exit(code), END_MS).unref();
}

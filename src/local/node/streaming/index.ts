/** Exec, attach and port-forward of the pods that run here. See README.md. */
export { connectStreaming } from './connect.ts';
export { StreamableRuntime } from './streamable-runtime.ts';

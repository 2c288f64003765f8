/** A signal that the first SIGTERM or SIGINT of this process aborts: the kubelet, or a user, wants it to end. */
export function terminationSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => controller.abort(new Error(`received ${name}`)));
  }
  return controller.signal;
}

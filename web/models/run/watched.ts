/** The object of a run that nobody has registered: of the cluster that the server watches. */
interface WatchedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** That object, from the ID of its run: `Kind/namespace/name`. Undefined for the ID of a registered run. Pure. */
export function watchedObject(id: string): WatchedObject | undefined {
  const [kind, namespace, name, ...rest] = id.split('/');
  if (!kind || !namespace || !name || rest.length > 0) return undefined;
  return { kind, namespace, name };
}

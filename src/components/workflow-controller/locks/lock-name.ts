/** Names of locks are `<namespace>/Mutex/<name>` and `<namespace>/ConfigMap/<map>/<key>`. */
interface LockName {
  readonly type: 'mutex' | 'semaphore';
  readonly namespace: string;
  /** Name of a mutex; of a semaphore `<map>/<key>`. */
  readonly name: string;
}

/** What the name of a lock says of it. Pure. */
export function parseLockName(lock: string): LockName {
  const [namespace = '', kind, ...rest] = lock.split('/');
  return { type: kind === 'Mutex' ? 'mutex' : 'semaphore', namespace, name: rest.join('/') };
}

/** Whether a lock is a mutex; the others are semaphores. Pure. */
export function isMutex(lock: string): boolean {
  return parseLockName(lock).type === 'mutex';
}

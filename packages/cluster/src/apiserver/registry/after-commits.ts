/**
 * Gives a function that makes an action happen soon, once for all calls of a moment. It may be called inside of commits, in which a
 * watcher must not write.
 */
export function afterCommits(act: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      act();
    });
  };
}

import { type ComponentType, type ReactElement, useLayoutEffect, useState } from 'react';
import { persistently } from './persistently.ts';

/**
 * A component whose code is loaded when it is first shown, and shown as soon as it is loaded; React's `lazy` waits for at least 300 ms once
 * its `Suspense` has shown the fallback. If loading fails after some tries, it throws the error for the `Panel` around it, and
 * loads again when that retries.
 *
 * @param loading text for screen readers meanwhile; undefined shows nothing
 */
export function lazyView<Props extends object>(
  loading: string | undefined,
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactElement | null {
  let Loaded: ComponentType<Props> | undefined;
  // Called once for each module, where components are defined.
  return function LazyView(props) {
    const [failure, setFailure] = useState<Error>();
    const [, setLoaded] = useState(Loaded !== undefined);
    useLayoutEffect(() => {
      let isGone = false;
      const show = (component: ComponentType<Props>): void => {
        Loaded = component;
        if (!isGone) setLoaded(true);
      };
      if (Loaded === undefined) {
        persistently(load).then(show, (error: Error) => {
          if (!isGone) setFailure(error);
        });
      } else show(Loaded);
      return () => {
        isGone = true;
      };
    }, []);
    if (failure !== undefined) throw failure;
    if (Loaded !== undefined) return <Loaded {...props} />;
    return loading === undefined ? null : <div className="waiting" role="status" aria-label={loading} />;
  };
}

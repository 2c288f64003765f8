import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type Decoded, decodeState, encodeState, type Fields } from '../address/codec.ts';

/** The state of a view in its link, and a function to change it: `push` adds a history entry for the back button. */
export function useAddress<State extends object>(
  fields: Fields<State>,
): Decoded<State> & { change(changes: Partial<State>, how: 'push' | 'replace'): void } {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const decoded = useMemo(() => decodeState(fields, search), [fields, search]);
  return {
    ...decoded,
    change: (changes, how) => {
      // The link may have changed since the rendering.
      const { state } = decodeState(fields, location.search);
      const text = encodeState(fields, { ...state, ...changes });
      navigate(text === '' ? path : `${path}?${text}`, { replace: how === 'replace' });
    },
  };
}

import { useEffect } from 'react';

/** Names the view in the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Turnsole`;
  }, [title]);
}

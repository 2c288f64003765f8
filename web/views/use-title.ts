import { useEffect } from 'react';
import { plainText } from '../models/words/plain.ts';

/** Names the view in the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${plainText(title)} · Turnsole`;
  }, [title]);
}

import { useEffect } from 'react';
import { plainText } from '../models/words/plain.ts';

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${plainText(title)} · Turnsole`;
  }, [title]);
}

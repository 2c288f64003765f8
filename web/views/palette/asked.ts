import type { Question } from '../question.tsx';

/** The question before an action of the palette. */
export interface Asked extends Pick<Parameters<typeof Question>[0], 'title' | 'confirm' | 'run' | 'onDone'> {
  readonly text: string;
}

import { useEffect, useMemo, useState } from 'react';
import type { About, Draft } from '../../models/studio/draft.ts';
import { isJson, type Json, textAt } from '../../models/studio/json.ts';
import { readDraft } from '../../models/studio/read-draft.ts';
import { writeDraft } from '../../models/studio/write-draft.ts';
import { type KeptWork, keepWork, keptWork } from './kept-work.ts';
import type { Origin } from './origin.ts';
import type { YamlProblem } from './read-yaml.ts';
import { YAML_FORM } from './yaml-form.ts';
import { yamlProblems } from './yaml-problems.ts';

/** An experiment while it is worked on: one text, and what the form shows of it. */
export interface Studio {
  readonly text: string;
  readonly about: About;
  /** Why the text cannot be read; the form waits meanwhile. */
  readonly yamlProblems: readonly YamlProblem[];
  /** The manifest; as it could be read last. */
  readonly object: Json;
  /** What the form shows of it, or why it shows nothing. */
  readonly shown: ReturnType<typeof readDraft>;
  /** Name in the manifest. */
  readonly name: string;
  readonly isChanged: boolean;
  /** When the experiment was stored that this is a change of; empty for a new one. */
  readonly base: string;
  /** Whether another one is stored by now. */
  readonly isOutrun: boolean;
  /** When changes were made that were found again; undefined where there were none. */
  readonly foundAtMs: number | undefined;
  setText(text: string): void;
  setAbout(about: About): void;
  setDraft(change: (draft: Draft) => Draft): void;
  /** Gives up all changes. */
  discard(): void;
  /** What was stored is not kept any longer. */
  forget(): void;
}

/** Works on an experiment. What is not saved is kept in the browser's tab, and found again when the reader comes back. */
export function useStudio(origin: Origin, place: string): Studio {
  const [found] = useState(() => keptWork(place));
  const [work, setWork] = useState<Omit<KeptWork, 'atMs'>>(() => found ?? workOf(origin));
  const { text, about } = work;
  const problems = useMemo(() => yamlProblems(text), [text]);
  const object = useLast(
    useMemo(() => {
      const value = problems.length === 0 ? YAML_FORM.read(text) : undefined;
      return isJson(value) ? value : undefined;
    }, [text, problems]),
  );
  const shown = useMemo(() => readDraft(object, about, YAML_FORM), [object, about]);
  const isChanged =
    text !== origin.text ||
    about.description !== origin.about.description ||
    about.infraID !== origin.about.infraID;
  useEffect(() => keepWork(place, isChanged ? work : undefined), [place, isChanged, work]);
  useLeaveQuestion(isChanged);
  return {
    text,
    about,
    yamlProblems: problems,
    object,
    shown,
    name: textAt(object, 'metadata', 'name'),
    isChanged,
    base: work.base,
    isOutrun: work.base !== workOf(origin).base,
    foundAtMs: found?.atMs,
    setText: (next) => setWork((before) => ({ ...before, text: next })),
    setAbout: (next) => setWork((before) => ({ ...before, about: next })),
    setDraft: (change) => setWork((before) => withDraft(before, change)),
    discard: () => setWork(workOf(origin)),
    forget: () => keepWork(place, undefined),
  };
}

function workOf({ text, about, stored }: Origin): Omit<KeptWork, 'atMs'> {
  return { text, about, base: stored?.updatedAt ?? '' };
}

/** A change of the form, in the text: from what is there now, which may be newer than what was drawn. */
function withDraft(before: Omit<KeptWork, 'atMs'>, change: (draft: Draft) => Draft): Omit<KeptWork, 'atMs'> {
  const object = YAML_FORM.read(before.text);
  if (!isJson(object)) return before;
  const shown = readDraft(object, before.about, YAML_FORM);
  if ('reason' in shown) return before;
  const draft = change(shown.draft);
  return {
    ...before,
    text: YAML_FORM.change(before.text, writeDraft(object, draft, YAML_FORM)),
    about: { description: draft.description, infraID: draft.infraID },
  };
}

/** The last value that there was: while a text cannot be read, the form shows what it was before. */
function useLast(value: Json | undefined): Json {
  const [last, setLast] = useState<Json>(value ?? {});
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

/** Asks before the tab is closed with changes: a tab that is closed forgets them. */
function useLeaveQuestion(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}

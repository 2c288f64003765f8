import { useEffect, useMemo, useState } from 'react';
import { isJson, type Json, textAt } from '../../models/json/json.ts';
import type { About, Draft } from '../../models/studio/draft.ts';
import { readDraft } from '../../models/studio/read-draft.ts';
import { writeDraft } from '../../models/studio/write-draft.ts';
import { type KeptWork, keepWork, keptWork } from './kept-work.ts';
import type { Origin } from './origin.ts';
import type { YamlProblem } from './read-yaml.ts';
import { YAML_FORM } from './yaml-form.ts';
import { yamlProblems } from './yaml-problems.ts';

/** An experiment during editing: one text, and its form. */
export interface Studio {
  readonly text: string;
  readonly about: About;
  /** Why the text cannot be read; the form waits meanwhile. */
  readonly yamlProblems: readonly YamlProblem[];
  /** The last readable manifest. */
  readonly object: Json;
  /** The form, or why it shows nothing. */
  readonly shown: ReturnType<typeof readDraft>;
  /** Name in the manifest. */
  readonly name: string;
  readonly isChanged: boolean;
  /** When the base version was stored; empty for a new experiment. */
  readonly base: string;
  /** Whether a newer version is stored by now. */
  readonly isOutrun: boolean;
  /** Time of the unsaved changes that were found; undefined without any. */
  readonly foundAtMs: number | undefined;
  setText(text: string): void;
  setAbout(about: About): void;
  setDraft(change: (draft: Draft) => Draft): void;
  /** Discards all changes. */
  discard(): void;
  /** Removes the tab's copy after saving. */
  forget(): void;
}

/** Edits an experiment. Unsaved changes are kept in the browser's tab, and found when the reader returns. */
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

/** Applies a change of the form to the current text, which may be newer than the rendered one. */
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

/** The last readable value, which the form shows while the text is unreadable. */
function useLast(value: Json | undefined): Json {
  const [last, setLast] = useState<Json>(value ?? {});
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

/** Asks before closing the tab with unsaved changes, which would be lost. */
function useLeaveQuestion(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}

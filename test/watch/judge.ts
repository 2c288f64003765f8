import assert from 'node:assert/strict';
import type { Received, ReceivedEvent, Session } from './session.ts';
import { assertSame, type Truth, type ViewChange } from './truth.ts';
import type { WatchedObject } from './views.ts';

/** Checks everything that a session received against what was committed. */
export function judge(truth: Truth, session: Session): void {
  const { start, received, status } = session;
  if (status === 0) return;
  const about = `${session.view.path} ${JSON.stringify(session.view.query)} from ${JSON.stringify(start)}`;
  assert.equal(status, 200, about);
  const error = received.find(({ type }) => type === 'ERROR');
  if (error !== undefined) {
    judgeError(session, about);
    if (received.length === 1) return;
  } else if (start.from === 'revision') {
    assert.ok(start.revision >= session.compactedBefore, `${about}: served from a forgotten revision`);
  }
  const items = error === undefined ? received : received.slice(0, -1);
  if (start.from === 'revision') judgeChanges(truth, session, items, start.revision, about);
  else judgePresent(truth, session, items, about);
}

/** A session that failed: only because its revision is forgotten or not there yet. */
function judgeError({ start, received, earliest, compactedAfter }: Session, about: string): void {
  const error = received.at(-1);
  assert.ok(error?.type === 'ERROR', `${about}: an error ends a watch`);
  const isFuture = start.from === 'revision' && start.revision > earliest;
  if (isFuture && error.code === 504) return;
  assert.deepEqual([error.code, error.reason], [410, 'Expired'], about);
  // A reader that fell behind has to begin anew as well, when what it still has to hear is forgotten.
  assert.ok(lastRevision(received, start) < compactedAfter, `${about}: 410, but nothing was forgotten`);
}

function lastRevision(received: readonly Received[], start: Session['start']): number {
  let last = start.from === 'revision' ? start.revision : 0;
  for (const item of received) {
    if (item.type === 'BOOKMARK') last = Math.max(last, item.revision);
    else if (item.type !== 'ERROR') last = Math.max(last, revisionOf(item.object));
  }
  return last;
}

function revisionOf(object: WatchedObject): number {
  return Number(object.metadata.resourceVersion);
}

/** After a revision: exactly the view's changes since then, in order, without a gap. */
function judgeChanges(
  truth: Truth,
  session: Session,
  items: readonly Received[],
  after: number,
  about: string,
): void {
  const expected = truth.changes(session.view).filter(({ revision }) => revision > after);
  let index = 0;
  for (const item of items) {
    if (item.type === 'ERROR') assert.fail(`${about}: something followed an error`);
    if (item.type === 'BOOKMARK') {
      const next = expected[index];
      assert.ok(
        next === undefined || next.revision > item.revision,
        `${about}: bookmark ${item.revision} skips ${next?.type} ${next?.key} at ${next?.revision}`,
      );
      assert.ok(item.revision >= after, `${about}: bookmark ${item.revision} goes back`);
      assert.ok(item.revision <= session.latest, `${about}: bookmark ${item.revision} of the future`);
      continue;
    }
    const change = expected[index];
    assert.ok(change !== undefined, `${about}: ${shown(item)} was told, nothing was expected`);
    judgeEvent(item, change, `${about}, event ${index}`);
    index += 1;
  }
}

function judgeEvent(item: ReceivedEvent, change: ViewChange, about: string): void {
  const expected = `${change.type} ${change.key} at ${change.revision}`;
  const { namespace, name } = item.object.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  assert.equal(`${item.type} ${key} at ${revisionOf(item.object)}`, expected, about);
  assertSame(item.object, change.object, `${about}: ${expected}`);
}

function shown({ type, object }: ReceivedEvent): string {
  return `${type} ${object.metadata.name} at ${object.metadata.resourceVersion}`;
}

/**
 * With the present objects: those of one revision while the request was under way, then the changes after it. Which
 * revision that was, only the bookmark after a streamed list tells; otherwise one must fit.
 */
function judgePresent(truth: Truth, session: Session, items: readonly Received[], about: string): void {
  const { view, earliest, latest } = session;
  const marked = items.find((item) => item.type === 'BOOKMARK' && item.endsInitialEvents);
  const revisions =
    marked?.type === 'BOOKMARK'
      ? [marked.revision]
      : [
          earliest,
          ...truth
            .commits(view.kind.table)
            .map(({ revision }) => revision)
            .filter((revision) => revision > earliest && revision <= latest),
        ];
  const failures: unknown[] = [];
  for (const revision of revisions) {
    try {
      judgeFrom(truth, session, items, revision, about);
      return;
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

function judgeFrom(
  truth: Truth,
  session: Session,
  items: readonly Received[],
  revision: number,
  about: string,
): void {
  assert.ok(revision >= session.earliest, `${about}: the present of ${revision} is of the past`);
  const present = truth.stateAt(session.view, revision);
  const initial = items.slice(0, present.length);
  for (const [index, item] of initial.entries()) {
    const object = present[index];
    assert.ok(
      item.type === 'ADDED' && object !== undefined,
      `${about}: ${item.type} among the present objects`,
    );
    const what = `${about}: present object ${index} of ${present.length} at ${revision}`;
    assert.equal(shown(item), `ADDED ${object.metadata.name} at ${object.metadata.resourceVersion}`, what);
    assertSame(item.object, object, what);
  }
  if (session.start.from === 'streamed-list' && items.length > present.length) {
    assert.equal(items[present.length]?.type, 'BOOKMARK', `${about}: no bookmark after the present objects`);
  }
  judgeChanges(truth, session, items.slice(present.length), revision, about);
}

import type { ControlPlane } from '../access/context.ts';
import { RemoteError, TooLateError } from '../remote/index.ts';
import { unpackText } from '../store/packed-text.ts';
import { projectScope } from '../store/store.ts';
import type { GitOpsRow } from '../store/tables/gitops.ts';
import type { Reader } from '../store/transaction.ts';
import { type Baseline, baselineOf, isNews } from './content/baseline.ts';
import { decideSync, isAsAgreed, type KnownExperiment, type SyncStep } from './content/decide-sync.ts';
import { type GitDocument, type GitProblem, readDocuments, withExperimentID } from './content/documents.ts';
import { editedText, newText } from './content/edited-text.ts';
import { branchHead, isYaml, type OpenBranch, openBranch } from './content/git-project.ts';
import { type DocumentChange, planCommits } from './content/plan-commits.ts';
import { gitContext } from './git-context.ts';
import { agree, agreedOf, branchOf, folderOf, forget, gitRow, problemsOf } from './git-rows.ts';
import { GIT_AUTHOR, gitSettings, MARK } from './set-up.ts';
import { takeOver, type Unnamed } from './take-over.ts';

/** Passes of a project. */
interface Passes {
  readonly running: Promise<void>;
  /** Begins after the running one. */
  next?: Promise<void>;
}

const PASSES = new WeakMap<ControlPlane, Map<string, Passes>>();

/**
 * Synchronises a project and its repository, and stores the outcome. One pass per project at a time; between
 * replicas, git refuses the slower push, and the agreed state is written in the transaction of its change.
 *
 * All calls during a pass share the next one: it has not begun yet, so it sees whatever each of them wants synchronised.
 */
export function syncProject(plane: ControlPlane, project: string): Promise<void> {
  const all = PASSES.get(plane) ?? new Map<string, Passes>();
  PASSES.set(plane, all);
  const begin = (): Promise<void> => {
    const passes: Passes = { running: pass(plane, project) };
    all.set(project, passes);
    const done = (): void => {
      if (passes.next === undefined) all.delete(project);
    };
    passes.running.then(done, done);
    return passes.running;
  };
  const passes = all.get(project);
  if (passes === undefined) return begin();
  passes.next ??= passes.running.then(begin, begin);
  return passes.next;
}

async function pass(plane: ControlPlane, project: string): Promise<void> {
  const row = await gitRow(plane.store.read, project);
  if (row === undefined) return;
  const checked = { checked_at: plane.clock.now() };
  try {
    const { head, problems } = (await asBefore(plane, row)) ?? (await untilPushed(plane, row));
    const state = { latest_commit: head, synced_at: checked.checked_at, last_error: '' };
    await note(plane, row, { ...checked, ...state, problems: JSON.stringify(problems) });
  } catch (error) {
    plane.signal.throwIfAborted();
    if (!(error instanceof RemoteError)) {
      await note(plane, row, { ...checked, last_error: 'internal error; the server’s log says more' });
      throw error;
    }
    await note(plane, row, { ...checked, last_error: error.message });
  }
}

async function note(plane: ControlPlane, row: GitOpsRow, state: Partial<GitOpsRow>): Promise<void> {
  const { project_id: project } = row;
  await plane.store.transaction(projectScope(project), async (tx) => {
    const now = await gitRow(tx.db, project);
    // The project has another repository by now: this is not its state.
    if (now === undefined || now.updated_at !== row.updated_at) return;
    await tx.db.updateTable('gitops').set(state).where('project_id', '=', project).execute();
    const isNews = ['latest_commit', 'last_error', 'problems'].some(
      (key) => key in state && state[key as keyof GitOpsRow] !== now[key as keyof GitOpsRow],
    );
    if (isNews) await tx.change({ project, kind: 'gitops', id: project });
  });
}

/** Most passes find no change on either side, and then only read the commit of the branch. */
async function asBefore(plane: ControlPlane, row: GitOpsRow): Promise<PassResult | undefined> {
  const { project_id: project, latest_commit: head } = row;
  if (head === '' || problemsOf(row).length > 0) return undefined;
  const { read: db } = plane.store;
  if (!isAsAgreed(await agreedOf(db, project), await experimentsOf(db, project))) return undefined;
  const now = await branchHead(branchOf(plane, row), gitSettings(plane), plane.signal);
  return now === head ? { head, problems: [] } : undefined;
}

/** Attempts of a pass, which starts again after a concurrent push. */
const MOST_TIMES = 5;

async function untilPushed(plane: ControlPlane, row: GitOpsRow): Promise<PassResult> {
  for (let times = 1; ; times += 1) {
    try {
      return await bringTogether(plane, row);
    } catch (error) {
      if (!(error instanceof TooLateError) || times === MOST_TIMES) throw error;
    }
  }
}

interface PassResult {
  readonly head: string;
  readonly problems: readonly GitProblem[];
}

async function bringTogether(plane: ControlPlane, row: GitOpsRow): Promise<PassResult> {
  const { project_id: project } = row;
  const folder = folderOf(project);
  await using branch = await openBranch(branchOf(plane, row), folder, gitSettings(plane), plane.signal);
  if (branch.head === undefined)
    throw new RemoteError(`the repository has no branch ${row.branch} any more; nothing was changed`);
  const texts = await textsOf(branch);
  const read = [...texts].map(([path, text]) => readDocuments(path, text));
  const documents = read.flatMap((one) => one.documents);
  const isMarked = branch.files.has(`${folder}/${MARK}`);
  const { read: db } = plane.store;
  const [agreed, experiments] = [await agreedOf(db, project), await experimentsOf(db, project)];
  const steps = decideSync({ documents, agreed, experiments, isMarked });
  const context = gitContext(plane, project, 'git sync', plane.signal);
  const problems = read.flatMap((one) => one.problems);
  const baseline = await baselineFor(plane, row, () => baselineOf(texts, problems));
  const changes: DocumentChange[] = [];
  for (const step of steps) {
    if (step.do === 'write' || step.do === 'erase') {
      const change = await changeOf(db, project, step, documents);
      if (change !== undefined) changes.push(change);
      continue;
    }
    const { unnamed, problem } = await takeOver(step, (document) => isNews(baseline, document), context);
    if (problem !== undefined) problems.push(problem);
    if (unnamed !== undefined) changes.push(naming(unnamed));
  }
  return { head: await pushed(plane, project, branch, texts, changes), problems };
}

/** The stored baseline. The first pass stores it before it imports anything, so that an interrupted one leaves no document as news. */
async function baselineFor(plane: ControlPlane, row: GitOpsRow, now: () => Baseline): Promise<Baseline> {
  if (row.baseline !== null) return JSON.parse(row.baseline);
  const baseline = now();
  await note(plane, row, { baseline: JSON.stringify(baseline) });
  return baseline;
}

/** Files read at a time. */
const AT_ONCE = 8;

async function textsOf({ files, content }: OpenBranch): Promise<Map<string, string>> {
  const yaml = [...files].filter(([path]) => isYaml(path));
  const texts = new Map<string, string>();
  for (let at = 0; at < yaml.length; at += AT_ONCE) {
    const some = yaml.slice(at, at + AT_ONCE);
    const read = await Promise.all(some.map(async ([path, id]) => [path, await content(id)] as const));
    for (const [path, text] of read) texts.set(path, text);
  }
  return texts;
}

async function experimentsOf(db: Reader, project: string): Promise<KnownExperiment[]> {
  const rows = await db
    .selectFrom('experiments')
    .select(['id', 'name', 'revision_id'])
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id, name, revision_id }) => ({ id, name, revisionID: revision_id }));
}

/** Adds the id of its experiment to a new document, so that the server recognises it at another place. */
function naming({ document, place }: Unnamed): DocumentChange {
  const { path, name, text } = document;
  const { experimentID, revisionID } = place;
  return {
    experimentID,
    place: { path, name },
    document: { name, text: withExperimentID(text, experimentID), revisionID },
    message: 'Updated New Experiments',
    author: GIT_AUTHOR,
  };
}

async function changeOf(
  db: Reader,
  project: string,
  step: Extract<SyncStep, { readonly do: 'write' | 'erase' }>,
  documents: readonly GitDocument[],
): Promise<DocumentChange | undefined> {
  if (step.do === 'erase') {
    const { experimentID, path, name } = step.place;
    const author = await lastWriter(db, project, experimentID);
    return {
      experimentID,
      place: { path, name },
      document: undefined,
      message: `Deleted Experiment : ${name}`,
      author,
    };
  }
  const found = await db
    .selectFrom('experiments')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.id', '=', 'experiments.revision_id')
        .onRef('revisions.project_id', '=', 'experiments.project_id'),
    )
    .select(['experiments.name', 'experiments.revision_id', 'experiments.updated_by', 'revisions.manifest'])
    .where('experiments.project_id', '=', project)
    .where('experiments.id', '=', step.experimentID)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const manifest: unknown = JSON.parse(unpackText(found.manifest));
  const { place } = step;
  const before = documents.find(({ path, name }) => path === place?.path && name === place.name);
  const text = before === undefined ? newText(manifest) : editedText(before.text, manifest);
  return {
    experimentID: step.experimentID,
    place: step.place,
    document: { name: found.name, text, revisionID: found.revision_id },
    message: `Updated Experiment : ${found.name}`,
    author: authorOf(found.updated_by),
  };
}

async function lastWriter(db: Reader, project: string, id: string): Promise<DocumentChange['author']> {
  const row = await db
    .selectFrom('experiments')
    .select('updated_by')
    .where('project_id', '=', project)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? GIT_AUTHOR : authorOf(row.updated_by);
}

function authorOf(username: string): DocumentChange['author'] {
  return { name: `${username}@litmus-chaos`, email: `${username}@litmus-chaos` };
}

/** @returns the commit that both sides agree on */
async function pushed(
  plane: ControlPlane,
  project: string,
  branch: OpenBranch,
  texts: ReadonlyMap<string, string>,
  changes: readonly DocumentChange[],
): Promise<string> {
  const { commits, written, erased } = planCommits(folderOf(project), texts, branch.files.keys(), changes);
  if (commits.length === 0) return branch.head ?? '';
  const head = await branch.push(commits);
  await plane.store.transaction(projectScope(project), async (tx) => {
    if ((await gitRow(tx.db, project)) === undefined) return;
    for (const place of written) await agree(tx, project, place);
    for (const id of erased) await forget(tx, project, id);
  });
  return head;
}

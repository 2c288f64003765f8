import { EXIT } from '../../../process/exit-codes.ts';
import { type GitCredentialOptions, gitCredentials } from '../../remote/git-credentials.ts';
import type { RemoteOptions } from '../../remote/open-remote.ts';
import { type AnswerOptions, type Place, placeOf } from '../../remote/place.ts';
import { printable, renderObject } from '../../remote/print-rows.ts';
import { type Row, time } from '../../remote/views.ts';

export interface EnableGitOpsOptions extends RemoteOptions, GitCredentialOptions {
  readonly branch: string;
}

const UPSTREAM = 'enabled branch repoURL authType userName';
/** Fields of ours; ChaosCenter does not know them. */
const OURS = 'latestCommit lastSyncedAt lastError problems { path experimentName message }';
const DETAILS = `query ($p: ID!) { found: getGitOpsDetails(projectID: $p) { ${UPSTREAM} ${OURS} } }`;
const SYNC = `mutation ($p: ID!) { found: syncGitOps(projectID: $p) { ${UPSTREAM} ${OURS} } }`;
const IS_ENABLED = 'query ($p: ID!) { getGitOpsDetails(projectID: $p) { enabled } }';
const ENABLE = 'mutation ($p: ID!, $c: GitConfig!) { enableGitOps(projectID: $p, configurations: $c) }';
const UPDATE = 'mutation ($p: ID!, $c: GitConfig!) { updateGitOps(projectID: $p, configurations: $c) }';
const DISABLE = 'mutation ($p: ID!) { disableGitOps(projectID: $p) }';

interface Details extends Row {
  readonly enabled: boolean;
}

/** Keeps the experiments of the project in a branch; where they are kept in another one, from now on in this one. @throws CommandError */
export async function enable(url: string, options: EnableGitOpsOptions): Promise<number> {
  const credentials = await gitCredentials(options, process.env);
  const { client, project } = await placeOf(options);
  const { getGitOpsDetails } = await client.graphql<{ readonly getGitOpsDetails: Details }>(IS_ENABLED, {
    p: project,
  });
  const c = { repoURL: url, branch: options.branch, ...credentials };
  await client.graphql(getGitOpsDetails.enabled ? UPDATE : ENABLE, { p: project, c });
  console.log(`experiments are kept in ${printable(url)}, branch ${printable(options.branch)}`);
  return EXIT.pass;
}

/** Both sides stay as they are. */
export async function disable(options: RemoteOptions): Promise<number> {
  const { client, project } = await placeOf(options);
  await client.graphql(DISABLE, { p: project });
  console.log('experiments are not kept in Git any more; both sides stay as they are');
  return EXIT.pass;
}

export async function show(options: AnswerOptions): Promise<number> {
  return print(await placeOf(options), DETAILS, options);
}

/** Synchronises now. @returns 1 when the repository, or a document of it, could not be taken over */
export async function sync(options: AnswerOptions): Promise<number> {
  return print(await placeOf(options), SYNC, options);
}

async function print(
  { client, project }: Place,
  document: string,
  { output }: AnswerOptions,
): Promise<number> {
  const { found } = await client.graphql<{ readonly found: Details }>(document, { p: project });
  if (output !== 'table') console.log(renderObject(found, output));
  else if (!found.enabled) console.log('experiments of this project are not kept in Git');
  else console.log(linesOf(found).join('\n'));
  const problems = Array.isArray(found['problems']) ? found['problems'].length : 0;
  return document === SYNC && (problems > 0 || found['lastError']) ? EXIT.fail : EXIT.pass;
}

function linesOf({
  repoURL,
  branch,
  authType,
  latestCommit,
  lastSyncedAt,
  lastError,
  problems,
}: Row): string[] {
  const rows: readonly unknown[] = Array.isArray(problems) ? problems : [];
  const synced = time(lastSyncedAt);
  return [
    `repository: ${printable(repoURL)}, branch ${printable(branch)}, signed in by ${printable(authType)}`,
    synced === '' ? 'not synchronised yet' : `synchronised: ${synced}, commit ${printable(latestCommit)}`,
    ...(lastError ? [`failed: ${printable(lastError)}`] : []),
    ...rows.map((one) => {
      const { path, experimentName, message } = one as Row;
      return `${[path, experimentName].filter(Boolean).map(printable).join(', ')}: ${printable(message)}`;
    }),
  ];
}

import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Authored } from '../store/tables/columns.ts';
import type { Reader } from '../store/transaction.ts';

/** Upstream's page of a list: `page` counts from 0. */
interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 15;
/** More rows at once would delay the requests of other clients. */
const MOST_ROWS = 1_000;

/** Which rows a page has. Pure. */
export function pageRange(pagination: PageRequest | null | undefined): {
  readonly offset: number;
  readonly limit: number;
} {
  const limit = Math.min(Math.max(pagination?.limit ?? DEFAULT_LIMIT, 0), MOST_ROWS);
  return { offset: Math.max(pagination?.page ?? 0, 0) * limit, limit };
}

/** A page of rows, and the number over all pages. */
export interface Page<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** A page of a sorted query. */
export async function pageOf<Joined, Table extends keyof Joined, Row>(
  sorted: SelectQueryBuilder<Joined, Table, Row>,
  pagination: PageRequest | null | undefined,
): Promise<Page<Row>> {
  const { offset, limit } = pageRange(pagination);
  const rows = await sorted.offset(offset).limit(limit).execute();
  const { total } = await sorted
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .$castTo<{ readonly total: number }>()
    .executeTakeFirstOrThrow();
  return { total, rows };
}

/** A condition: the column contains this text, case-insensitively. */
export function contains(column: Expression<string>, text: string): Expression<SqlBool> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`lower(${column}) like ${pattern} escape '\\'`;
}

/** Columns with the texts that they have to contain; tags are JSON in a column, each in quotes. Pure. */
export function textFilters<Column extends string>(
  texts: Readonly<Record<Column, string | null | undefined>>,
  tags: readonly (string | null | undefined)[] | null | undefined,
): (readonly [Column | 'tags', string])[] {
  const given = (Object.entries(texts) as [Column, string | null | undefined][]).flatMap(([column, text]) =>
    text ? [[column, text] as const] : [],
  );
  return [...given, ...(tags ?? []).map((tag) => ['tags', JSON.stringify(tag)] as const)];
}

/** A time in the form of GraphQL answers: milliseconds since the epoch, as text. */
export function timeText(time: number): string {
  return `${time}`;
}

/** Who has created an object and who has changed it last, and when, in the form of GraphQL answers. */
export function authorship(row: Authored) {
  return {
    createdAt: timeText(row.created_at),
    updatedAt: timeText(row.updated_at),
    createdBy: userDetails(row.created_by),
    updatedBy: userDetails(row.updated_by),
  };
}

interface UserDetails {
  readonly userID: string;
  readonly username: string;
  readonly email: string;
}

/** A user in the form of GraphQL answers. As with upstream, objects keep the name only; the audit log has the ID. */
export function userDetails(username: string): UserDetails {
  return { userID: '', username, email: '' };
}

/** Who is meant by a name, in the form of answers. */
export type People = (username: string) => UserDetails;

/** The users who have created and changed these rows, with their IDs, which REST answers of upstream have. */
export async function peopleOf(
  db: Reader,
  rows: readonly Pick<Authored, 'created_by' | 'updated_by'>[],
): Promise<People> {
  const names = new Set(rows.flatMap((row) => [row.created_by, row.updated_by]));
  if (names.size === 0) return userDetails;
  const users = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('username', 'in', [...names])
    .execute();
  const ids = new Map(users.map(({ id, username }) => [username, id]));
  return (username) => ({ ...userDetails(username), userID: ids.get(username) ?? '' });
}

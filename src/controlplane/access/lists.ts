import { type Expression, type SqlBool, sql } from 'kysely';

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

/** A condition: the column contains this text, case-insensitively. */
export function contains(column: Expression<string>, text: string): Expression<SqlBool> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`lower(${column}) like ${pattern} escape '\\'`;
}

/** A time in the form of GraphQL answers: milliseconds since the epoch, as text. */
export function timeText(time: number): string {
  return `${time}`;
}

/** A user in the form of GraphQL answers. As with upstream, objects keep the name only; the audit log has the ID. */
export function userDetails(username: string): {
  readonly userID: string;
  readonly username: string;
  readonly email: string;
} {
  return { userID: '', username, email: '' };
}

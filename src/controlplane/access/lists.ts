import { type Expression, type SqlBool, sql } from 'kysely';
import type { Authored } from '../store/tables/columns.ts';

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

/** Who has created an object and who has changed it last, and when, in the form of GraphQL answers. */
export function authorship(row: Authored) {
  return {
    createdAt: timeText(row.created_at),
    updatedAt: timeText(row.updated_at),
    createdBy: userDetails(row.created_by),
    updatedBy: userDetails(row.updated_by),
  };
}

/** A user in the form of GraphQL answers. As with upstream, objects keep the name only; the audit log has the ID. */
export function userDetails(username: string): {
  readonly userID: string;
  readonly username: string;
  readonly email: string;
} {
  return { userID: '', username, email: '' };
}

import type { ApiObject } from '../object.ts';
import { formatAge } from './duration.ts';

/** A cell: what a Table holds. */
export type Cell = string | number | boolean | null;

/** One column of Table output: what `kubectl get` shows. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown, 1: with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: ApiObject, now: number) => Cell;
}

/** A text column. */
export function column(
  name: string,
  cell: (object: ApiObject, now: number) => Cell,
  options: {
    readonly type?: string;
    readonly format?: string;
    readonly wide?: boolean;
    readonly description?: string;
  } = {},
): Column {
  return {
    name,
    type: options.type ?? 'string',
    priority: options.wide === true ? 1 : 0,
    cell,
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options.description === undefined ? {} : { description: options.description }),
  };
}

export const NAME_COLUMN: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  description: "Name must be unique within its scope; it is the last segment of the object's path.",
  cell: (object) => object.metadata.name ?? '',
};

/** Time since creation. */
export const AGE_COLUMN: Column = column(
  'Age',
  (object, now) => formatAge(object.metadata.creationTimestamp, now),
  {
    description: 'Time since the object was created.',
  },
);

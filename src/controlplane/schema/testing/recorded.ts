import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';

/** Lines of a file of recorded facts. */
export function recordedLines(name: string): string[] {
  return readRecorded(name).trimEnd().split('\n');
}

/** The schema of ChaosCenter, from the recorded types and the recorded lines of its operations. */
export function recordedSchema(): GraphQLSchema {
  const lines = recordedLines('operations.txt');
  const root = (kind: string): string => {
    const fields = lines
      .filter((line) => line.startsWith(`${kind} `))
      .map((line) => line.slice(kind.length + 1));
    return `type ${kind.charAt(0).toUpperCase()}${kind.slice(1)} {\n${fields.join('\n')}\n}`;
  };
  const roots = ['query', 'mutation', 'subscription'].map(root);
  return buildSchema([readRecorded('types.graphql'), ...roots].join('\n'));
}

function readRecorded(name: string): string {
  return readFileSync(new URL(`../test-data/${name}`, import.meta.url), 'utf8');
}

import { dirname, resolve } from 'node:path';
import { plainErrorBody } from '@turnsole/kube/schema/field-error';
import { validate } from '@turnsole/kube/schema/structural';
import { findUnknownFields, unknownFieldText } from '@turnsole/kube/schema/unknown-fields';
import { parseDuration } from '@turnsole/kube/text/duration';
import { parseImage } from '@turnsole/kube/text/image-reference';
import { parseLenient } from '@turnsole/kube/text/lenient-yaml';
import { dnsLabelProblems } from '@turnsole/kube/text/names';
import { isMap, isScalar, type YAMLMap } from 'yaml';
import { PROJECT_SCHEMA, type ProjectFile } from '../../api/project.ts';
import { BadInputError, type InputProblem } from '../errors.ts';
import { lineOfPath } from '../manifests/load.ts';
import { readText } from '../manifests/read-text.ts';

/** Name of the file, in the folder in which a command is started. */
export const PROJECT_FILE = 'turnsole.yaml';

/** A project as its file says it. */
export interface Project {
  /** The file as the user gave it. */
  readonly file: string;
  /** Absolute. */
  readonly folder: string;
  readonly settings: ProjectFile;
}

/**
 * Reads a project's file.
 *
 * @throws BadInputError with everything that is wrong in it, or when it cannot be read
 */
export async function readProject(file: string): Promise<Project> {
  const text = await readText(file).catch((error: Error) => {
    const message = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : error.message;
    throw new BadInputError([{ file, code: 'FILE_UNREADABLE', message }]);
  });
  return { file, folder: dirname(resolve(file)), settings: parseProject(file, text) };
}

/** Reads the text of a project's file. Pure. @throws BadInputError */
export function parseProject(file: string, text: string): ProjectFile {
  const { documents, lines } = parseLenient(text);
  const [document, second] = documents;
  if (document === undefined) return {};
  const errors = document.errors.map(
    ({ message, pos }): InputProblem => ({
      file,
      line: lines.linePos(pos[0]).line,
      code: 'MANIFEST_UNREADABLE',
      message: `not valid YAML: ${message}`,
    }),
  );
  if (second !== undefined)
    errors.push({ file, code: 'MANIFEST_UNREADABLE', message: 'expected one document' });
  if (errors.length > 0) throw new BadInputError(errors);
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return {};
  if (!isMap(contents))
    throw new BadInputError([
      { file, line: 1, code: 'FIELD_INVALID', message: 'expected fields such as manifests and images' },
    ]);
  const value = contents.toJS(document) as ProjectFile;
  const placed = (segments: readonly (string | number)[]): Pick<InputProblem, 'file' | 'line'> => {
    const line = lineOfPath(contents as YAMLMap, segments, lines);
    return { file, ...(line !== undefined && { line }) };
  };
  const problems: InputProblem[] = [
    ...findUnknownFields(PROJECT_SCHEMA, value).map(
      (field): InputProblem => ({
        ...placed(field.segments),
        field: field.path,
        code: 'FIELD_UNKNOWN',
        message:
          field.suggestion === undefined
            ? `unknown field; there is ${Object.keys(PROJECT_SCHEMA.properties ?? {}).join(', ')}`
            : unknownFieldText(field),
      }),
    ),
    ...validate(PROJECT_SCHEMA, value).map(
      (error): InputProblem => ({
        ...placed(error.segments),
        field: error.path,
        code: 'FIELD_INVALID',
        message: plainErrorBody(error),
      }),
    ),
  ];
  if (problems.length === 0) {
    for (const [field, message] of meaningProblems(value))
      problems.push({ ...placed(field), field: field.join('.'), code: 'FIELD_INVALID', message });
  }
  if (problems.length > 0) throw new BadInputError(problems);
  return value;
}

/** Rules that a schema cannot say. */
function meaningProblems({
  namespace,
  images = {},
  readyTimeout,
  timeout,
}: ProjectFile): (readonly [field: readonly string[], message: string])[] {
  const durations = Object.entries({ readyTimeout, timeout }).flatMap(([field, text]) =>
    text === undefined || isDuration(text)
      ? []
      : [
          [
            [field],
            `found ${JSON.stringify(text)}; expected a duration above zero, such as 90s or 10m`,
          ] as const,
        ],
  );
  const names = Object.keys(images).flatMap((name) =>
    parseImage(name) === undefined
      ? [[['images', name], 'not the name of an image; expected name[:tag]'] as const]
      : [],
  );
  const places = namespace === undefined ? [] : dnsLabelProblems(namespace);
  return [...durations, ...names, ...places.map((problem) => [['namespace'], problem] as const)];
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) > 0;
  } catch {
    return false;
  }
}

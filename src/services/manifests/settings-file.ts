import { plainErrorBody } from '@turnsole/kube/schema/field-error';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { validate } from '@turnsole/kube/schema/structural';
import { findUnknownFields, unknownFieldText } from '@turnsole/kube/schema/unknown-fields';
import { parseLenient } from '@turnsole/kube/text/lenient-yaml';
import { isMap, isScalar, type YAMLMap } from 'yaml';
import { BadInputError, type InputProblem } from '../errors.ts';
import { lineOfPath } from './load.ts';
import { readText } from './read-text.ts';

/** The field that is wrong, and why. */
export type FieldProblem = readonly [field: readonly string[], message: string];

/** What a file of settings, of one YAML document, may hold. */
interface SettingsFile<T> {
  readonly schema: StructuralSchema;
  /** Fields that a message for another kind of file names, `such as manifests and images`. */
  readonly example: string;
  /** Rules that a schema cannot say; asked when the types are right. */
  readonly problemsOf: (settings: T) => readonly FieldProblem[];
}

/** The text of a file of settings, for {@link parseSettings}. @throws BadInputError when it cannot be read */
export async function readSettingsText(file: string): Promise<string> {
  return readText(file).catch((error: Error) => {
    const message = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : error.message;
    throw new BadInputError([{ file, code: 'FILE_UNREADABLE', message }]);
  });
}

/** Reads the text of a file of settings; nothing in it is no setting. Pure. @throws BadInputError */
export function parseSettings<T extends object>(
  file: string,
  text: string,
  { schema, example, problemsOf }: SettingsFile<T>,
): T {
  const { documents, lines } = parseLenient(text);
  const [document, second] = documents;
  const nothing: Partial<T> = {};
  if (document === undefined) return nothing as T;
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
  if (contents === null || (isScalar(contents) && contents.value === null)) return nothing as T;
  if (!isMap(contents))
    throw new BadInputError([
      { file, line: 1, code: 'FIELD_INVALID', message: `expected fields such as ${example}` },
    ]);
  // Its types are those of the schema, or it is refused below.
  const value = contents.toJS(document) as T;
  const placed = (segments: readonly (string | number)[]): Pick<InputProblem, 'file' | 'line'> => {
    const line = lineOfPath(contents as YAMLMap, segments, lines);
    return { file, ...(line !== undefined && { line }) };
  };
  const problems: InputProblem[] = [
    ...findUnknownFields(schema, value).map(
      (field): InputProblem => ({
        ...placed(field.segments),
        field: field.path,
        code: 'FIELD_UNKNOWN',
        message:
          field.suggestion === undefined
            ? `unknown field; there is ${Object.keys(schema.properties ?? {}).join(', ')}`
            : unknownFieldText(field),
      }),
    ),
    ...validate(schema, value).map(
      (error): InputProblem => ({
        ...placed(error.segments),
        field: error.path,
        code: 'FIELD_INVALID',
        message: plainErrorBody(error),
      }),
    ),
  ];
  if (problems.length === 0) {
    for (const [field, message] of problemsOf(value))
      problems.push({ ...placed(field), field: field.join('.'), code: 'FIELD_INVALID', message });
  }
  if (problems.length > 0) throw new BadInputError(problems);
  return value;
}

import { dirname, resolve } from 'node:path';
import { parseDuration } from '@turnsole/kube/text/duration';
import { parseImage } from '@turnsole/kube/text/image-reference';
import { dnsLabelProblems } from '@turnsole/kube/text/names';
import { PROJECT_SCHEMA, type ProjectFile } from '../../api/project.ts';
import { type FieldProblem, parseSettings, readSettingsText } from '../manifests/settings-file.ts';

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

/** What a project's file may hold. */
const KIND = { schema: PROJECT_SCHEMA, example: 'manifests and images', problemsOf: meaningProblems };

/**
 * Reads a project's file.
 *
 * @throws BadInputError with everything that is wrong in it, or when it cannot be read
 */
export async function readProject(file: string): Promise<Project> {
  return { file, folder: dirname(resolve(file)), settings: parseProject(file, await readSettingsText(file)) };
}

/** Reads the text of a project's file. Pure. @throws BadInputError */
export function parseProject(file: string, text: string): ProjectFile {
  return parseSettings<ProjectFile>(file, text, KIND);
}

/** Rules that a schema cannot say. */
function meaningProblems({ namespace, images = {}, readyTimeout, timeout }: ProjectFile): FieldProblem[] {
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

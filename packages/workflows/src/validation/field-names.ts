import type { ProblemSink } from './problem.ts';

/** What a kind of name may be made of, and how Argo says it. */
interface NameRule {
  readonly pattern: RegExp;
  readonly sentence: string;
  /** Tags are filled in before the name is used. */
  readonly mayHaveTags?: boolean;
  /** Whether it may have {@link LONGEST_NAME} characters at most. */
  readonly isLimited?: boolean;
}

const LONGEST_NAME = 128;

export const TEMPLATE_NAME: NameRule = {
  isLimited: true,
  pattern: /^[a-zA-Z0-9][-a-zA-Z0-9]*$/,
  sentence:
    "name must consist of alpha-numeric characters or '-', and must start with an alpha-numeric character (e.g. My-name1-2, 123-NAME)",
};

/** Of steps and tasks. */
export const CALL_NAME: NameRule = { ...TEMPLATE_NAME, mayHaveTags: true };

export const PARAMETER_NAME: NameRule = {
  pattern: /^[-a-zA-Z0-9_]+$/,
  sentence:
    "Parameter/Artifact name must consist of alpha-numeric characters, '_' or '-' e.g. my_param_1, MY-PARAM-1",
};

export const ARTIFACT_NAME: NameRule = { ...PARAMETER_NAME, pattern: /^[-a-zA-Z0-9_{}.]+$/ };

/** A name, the field it stands in, and that field in Argo's words, which leave out the innermost indexes of steps. */
interface PlacedName {
  readonly name: string;
  readonly path: string;
  readonly where: string;
}

/** The name as it may be: a tag stands for something well-formed. */
function withoutTags(name: string): string {
  return name.replaceAll(/\{\{.*?\}\}/g, 'x');
}

/** Names that must be there, well-formed and different from each other. */
export function checkNames(problems: ProblemSink, names: readonly PlacedName[], rule: NameRule): void {
  const seen = new Set<string>();
  for (const { name, path, where } of names) {
    if (name === '') problems.add(`${path}.name`, `${where}.name is required`);
    else if (seen.has(name)) problems.add(`${path}.name`, `${where}.name '${name}' is not unique`);
    else if (rule.isLimited && name.length > LONGEST_NAME)
      problems.add(
        `${path}.name`,
        `${where}.name: '${name}' is invalid: must be no more than ${LONGEST_NAME} characters`,
      );
    else if (!rule.pattern.test(rule.mayHaveTags ? withoutTags(name) : name))
      problems.add(`${path}.name`, `${where}.name: '${name}' is invalid: ${rule.sentence}`);
    seen.add(name);
  }
}

/** The names of a list in the order of the list, placed by index. */
export function placedNames(
  list: readonly { readonly name?: string }[] | undefined,
  path: string,
  where = path,
): PlacedName[] {
  return (list ?? []).map(({ name = '' }, index) => ({
    name,
    path: `${path}[${index}]`,
    where: `${where}[${index}]`,
  }));
}

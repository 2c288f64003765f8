import { isJson } from '../../models/json/json.ts';
import type { Part } from '../../models/studio/check-draft.ts';
import { readYaml, type YamlProblem } from './read-yaml.ts';

/** Problems of a manifest, and of the engines and faults in its texts. */
export function yamlProblems(text: string): readonly YamlProblem[] {
  const { value, problems, literals } = readYaml(text);
  if (problems.length > 0) return problems;
  if (!isJson(value)) return [{ line: 1, text: 'this is no object' }];
  return literals
    .filter((literal) => /^kind\W+Chaos/m.test(literal.text))
    .flatMap((literal) =>
      readYaml(literal.text).problems.map((problem) => ({ ...problem, line: problem.line + literal.line })),
    );
}

/** Places of the parts of the form in the engine of a step. */
const PLACES: Readonly<Record<Part, RegExp | undefined>> = {
  what: undefined,
  where: /^\s*appinfo:/,
  settings: /^\s*env:/,
  checks: undefined,
  plan: undefined,
  when: undefined,
};

/** The line of the YAML for a part of the form; undefined for parts about the whole. */
export function lineOfPart(text: string, part: Part, step: string): number | undefined {
  const wanted = PLACES[part];
  if (wanted === undefined) return undefined;
  const { literals } = readYaml(text);
  const isOfStep = (line: string): boolean =>
    line.trim().startsWith('generateName:') && line.replace(/^[^:]*:|["']/g, '').trim() === step;
  const engine = literals.find(
    (one) => /^kind\W+ChaosEngine/m.test(one.text) && one.text.split('\n').some(isOfStep),
  );
  if (engine === undefined) return undefined;
  const place = engine.text.split('\n').findIndex((line) => wanted.test(line));
  return engine.line + (place < 0 ? 1 : place + 1);
}

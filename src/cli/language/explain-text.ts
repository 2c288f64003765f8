import { fieldsOf, type Topic, typeOf } from '../../services/language/explain.ts';

/** Levels of fields that an explanation shows. */
const DEPTH = 2;
const WIDTH = 100;

/** A topic for a terminal: what it is, its fields, an example. Pure. */
export function explainText({ path, schema, example }: Topic): string[] {
  const fields = fieldsOf(schema, { depth: DEPTH });
  return [
    path,
    `  ${typeOf(schema)}`,
    ...wrapped(schema.description ?? schema.items?.description ?? '', '  '),
    ...(fields.length === 0 ? [] : ['', 'Fields:']),
    ...fields.flatMap(({ name, type, isRequired, description }) => [
      `  ${name}  <${type}>${isRequired ? '  required' : ''}`,
      ...wrapped(description, '      '),
    ]),
    ...(example === undefined
      ? []
      : [
          '',
          'Example:',
          ...example
            .trimEnd()
            .split('\n')
            .map((line) => `  ${line}`),
        ]),
  ];
}

function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(indent + line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, indent + line];
}

/**
 * Field selectors: `status.phase=Running,spec.nodeName!=n1`. Only `=`, `==` and `!=`; `\` escapes `,` `=` and itself.
 * Source: kubernetes.io, Field Selectors; k8s.io/apimachinery `pkg/fields`.
 */
import { SelectorError } from './label-selector.ts';

export interface FieldTerm {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

export type FieldSelector = readonly FieldTerm[];

/** Reads a selector text. Throws {@link SelectorError}. */
export function parseFieldSelector(text: string): FieldSelector {
  return split(text)
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^((?:[^\\=!]|\\.)*?)(==|!=|=)([\s\S]*)$/.exec(term);
      if (match === null) {
        throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      }
      const [, field = '', operator, value = ''] = match;
      if (/(^|[^\\])[=]/.test(value)) {
        throw new SelectorError(`invalid field selector: unescaped character in value: ${value}`);
      }
      return { field, equal: operator !== '!=', value: value.replaceAll(/\\([\\,=])/g, '$1') };
    });
}

/** Splits at commas that are not escaped. */
function split(text: string): string[] {
  return text.match(/(?:[^\\,]|\\[\s\S])+/g) ?? [];
}

/** Whether fields meet every term. A field that the kind does not have is '' (the door refused it before). */
export function matchesFields(selector: FieldSelector, fieldOf: (field: string) => string): boolean {
  return selector.every(({ field, equal, value }) => (fieldOf(field) === value) === equal);
}

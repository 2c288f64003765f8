import { messageOf } from '@turnsole/kube/text/error-message';
import type { CompiledProbe } from './definition.ts';
import { renderTemplate } from './template.ts';

/** What a probe asks, in short, for messages. A template that cannot be replaced stays as it is written. */
export function subjectOf({ kind, source }: CompiledProbe, registered: ReadonlyMap<string, string>): string {
  try {
    return kind.subject(source, (text) => renderTemplate(text, registered));
  } catch (error) {
    return `${kind.subject(source, (text) => text)} (${messageOf(error)})`;
  }
}

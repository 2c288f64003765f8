import type { ReactElement } from 'react';
import { plainText } from '../../models/words/plain.ts';
import { type StoredExperiment, storedOrigin } from '../studio/origin.ts';
import '../form.css';

/** A stored manifest as YAML. */
export function YamlText({ experiment }: { readonly experiment: StoredExperiment }): ReactElement {
  return <pre className="secret">{plainText(storedOrigin(experiment).text)}</pre>;
}

import type { TemplateLibrary } from '@turnsole/workflows/validation/library';
import { BadInputError } from '../../services/errors.ts';
import type { Manifest } from '../../services/manifests/load.ts';
import { checkWorkflows } from '../../services/workflows/manifest-problems.ts';

/**
 * @throws BadInputError with every problem of the workflows. Without a library, nothing is refused as long as a template that they refer to
 * is not among the files: the cluster may have it, and is asked later.
 */
export function refuseWorkflows(manifests: readonly Manifest[], library: TemplateLibrary | undefined): void {
  const { problems, unresolved } = checkWorkflows(manifests, library);
  const isKnown = library !== undefined || unresolved.length === 0;
  if (isKnown && problems.length > 0) throw new BadInputError(problems);
}

import type { Arguments } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';
import type { FoundTemplate, TemplateLibrary } from './library.ts';
import type { Problems } from './problem.ts';
import type { Scope } from './scope.ts';

/** What the checks of templates share on their way from the entrypoint down. */
export interface Walk {
  readonly problems: Problems;
  readonly library: TemplateLibrary;
  /** Names that tags may use everywhere in the workflow. */
  readonly globals: Scope;
  /** Checks a template that is called, once however often it is called; `prefix` says by whom, in Argo's words. */
  visit(found: FoundTemplate, prefix: string, args: Arguments | undefined): void;
}

/** A template that is being checked. */
export interface VisitedTemplate {
  readonly template: Template;
  readonly found: FoundTemplate;
  /** Begins the sentences about it: the calls that led here. */
  readonly prefix: string;
  /** Names that tags in it may use: the global ones and its inputs. */
  readonly scope: Scope;
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The time axis of the page, made by `npm run generate` from `web/`, and the policy under which a browser runs it. */
interface Component {
  readonly script: string;
  readonly style: string;
  /** Lets nothing be loaded, and nothing run but this script. */
  readonly policy: string;
}

let component: Component | undefined;

/** Reads the component once. */
export function timelineComponent(): Component {
  component ??= readComponent();
  return component;
}

function readComponent(): Component {
  const file = new URL('./generated/timeline-component.json', import.meta.url);
  const { script, style }: Pick<Component, 'script' | 'style'> = JSON.parse(readFileSync(file, 'utf8'));
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return { script, style, policy };
}

/** A text as a content security policy names it. Source: W3C, Content Security Policy Level 3, 2.3.1. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

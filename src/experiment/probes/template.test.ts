import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { templateReferences } from '../../api/validation/probe-templates.ts';
import { renderTemplate, TemplateError } from './template.ts';

const OUTPUTS = new Map([
  ['one', 'first'],
  ['check-two', `<a href="x">&'y'</a>`],
  ['v1.2', 'dotted'],
  ['money', "$& $1 $' $$"],
]);

test('references are replaced, everything else stays', () => {
  const table: readonly [string, string][] = [
    ['plain', 'plain'],
    ['{{ .one.ProbeArtifacts.Register }}', 'first'],
    ['{{.one.ProbeArtifacts.Register}}', 'first'],
    ['a {{ .one.ProbeArtifacts.Register }} b {{.one.ProbeArtifacts.Register}}', 'a first b first'],
    ['{{ .check-two.ProbeArtifacts.Register }}', `<a href="x">&'y'</a>`],
    ['{{ (index . "check-two").ProbeArtifacts.Register }}', `<a href="x">&'y'</a>`],
    ['{{ .v1.2.ProbeArtifacts.Register }}', 'dotted'],
    ['{{ .money.ProbeArtifacts.Register }}', "$& $1 $' $$"],
    ['a  {{- .one.ProbeArtifacts.Register -}}  b', 'afirstb'],
    ["docker ps --format '{{.ID}}'", "docker ps --format '{{.ID}}'"],
    ['cat <<EOF > x # <!-- {{ index .items 0 }} -->', 'cat <<EOF > x # <!-- {{ index .items 0 }} -->'],
    ['{{ .one.ProbeArtifacts }}', '{{ .one.ProbeArtifacts }}'],
    ['{{', '{{'],
  ];
  for (const [text, expected] of table) assert.equal(renderTemplate(text, OUTPUTS), expected, text);
});

test('a probe without output is an error that names it', () => {
  assert.throws(
    () => renderTemplate('curl {{ .none.ProbeArtifacts.Register }}', OUTPUTS),
    (error) =>
      error instanceof TemplateError && error.message.includes("cmdProbe 'none' (known: one, check-two"),
  );
  assert.throws(
    () => renderTemplate('{{ .none.ProbeArtifacts.Register }}', new Map()),
    /no probe has passed with an output yet/,
  );
});

test('references are listed', () => {
  assert.deepEqual(
    templateReferences(
      '{{ .a-b.ProbeArtifacts.Register }} {{.ID}} {{ (index . "c d").ProbeArtifacts.Register }}',
    ),
    ['a-b', 'c d'],
  );
});

test('text without references is never changed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '{{ ', ' }}', '.one', '.ID', ' ', 'x') }),
      (text) => {
        assert.equal(renderTemplate(text, OUTPUTS), text);
      },
    ),
  );
});

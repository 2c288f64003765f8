import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { decodeWorkflow, decodeWorkflowTemplate } from '../kinds/decode/workflow.ts';
import { NO_TEMPLATES, type TemplateLibrary } from './library.ts';
import { validateWorkflow } from './validate-workflow.ts';

const OK = '{name: ok, container: {image: busybox}}';
const ECHO =
  '{name: echo, inputs: {parameters: [{name: m}]}, container: {image: busybox, args: ["{{inputs.parameters.m}}"]}}';

/** Problems of a spec, as `path: text`. */
function problemsOf(spec: string, library: TemplateLibrary = NO_TEMPLATES, isLibrary = false): string[] {
  const workflow = decodeWorkflow({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w' },
    spec: parse(spec),
  });
  return validateWorkflow(workflow, { library, isLibrary }).map(({ path, text }) => `${path}: ${text}`);
}

/** Each row: what it is about, a spec, and every problem that is reported. The sentences are those of Argo's controller. */
const TABLE: readonly (readonly [name: string, spec: string, ...problems: string[]])[] = [
  ['a workflow that is right', `{entrypoint: ok, templates: [${OK}]}`],
  ['no entrypoint', `{templates: [${OK}]}`, 'spec.entrypoint: spec.entrypoint is required'],
  [
    'an entrypoint that is not there',
    `{entrypoint: zz, templates: [${OK}]}`,
    "spec.entrypoint: template name 'zz' undefined",
  ],
  [
    'an exit handler that is not there',
    `{entrypoint: ok, onExit: zz, templates: [${OK}]}`,
    "spec.onExit: template name 'zz' undefined",
  ],
  [
    'names of templates',
    `{entrypoint: ok, templates: [${OK}, ${OK}, {name: a b, suspend: {}}, {suspend: {}}]}`,
    "spec.templates[1].name: spec.templates[1].name 'ok' is not unique",
    "spec.templates[2].name: spec.templates[2].name: 'a b' is invalid: name must consist of alpha-numeric characters or '-', and must start with an alpha-numeric character (e.g. My-name1-2, 123-NAME)",
    'spec.templates[3].name: spec.templates[3].name is required',
  ],
  [
    'arguments of the workflow',
    `{entrypoint: ok, templates: [${OK}], arguments: {parameters: [{name: x}, {name: a b, value: 1}, {name: e, value: c, enum: [a, b]}, {name: n, value: a, enum: []}, {name: f, valueFrom: {path: /x}}]}}`,
    "spec.arguments.parameters[1].name: spec.arguments.parameters[1].name: 'a b' is invalid: Parameter/Artifact name must consist of alpha-numeric characters, '_' or '-' e.g. my_param_1, MY-PARAM-1",
    'spec.arguments.parameters[0]: spec.arguments.x.value or spec.arguments.x.valueFrom is required',
    'spec.arguments.parameters[2].value: spec.arguments.e.value should be present in spec.arguments.e.enum list',
    'spec.arguments.parameters[3].enum: spec.arguments.n.enum should contain at least one value',
    'spec.arguments.parameters[4].valueFrom: spec.arguments.f.valueFrom only allows: default, configMapKeyRef and supplied',
  ],
  [
    'artifacts in stores that cannot be reached; a key alone lies in the repository',
    `{entrypoint: main, templates: [{name: main, container: {image: i}, inputs: {artifacts: [{name: k, path: /k, gcs: {key: k}}, {name: g, path: /g, gcs: {bucket: b, key: k}}]}, outputs: {artifacts: [{name: s, path: /s, s3: {endpoint: e, bucket: b, key: k, useSDKCreds: true}}]}}]}`,
    'spec.templates[0].inputs.artifacts[1]: templates.main.inputs.artifacts.g: it lies in gcs, which Turnsole cannot reach: Cloud Storage speaks S3 at storage.googleapis.com, with HMAC keys',
    'spec.templates[0].outputs.artifacts[0]: templates.main.outputs.artifacts.s: s3.useSDKCreds is not supported: use accessKeySecret and secretKeySecret',
  ],
  [
    'no type of template',
    '{entrypoint: main, templates: [{name: main}]}',
    "spec.templates[0]: template 'main' type is unknown",
  ],
  [
    'two types of template',
    '{entrypoint: main, templates: [{name: main, suspend: {}, container: {image: a}}]}',
    'spec.templates[0]: templates.main multiple template types specified. choose one of: container, containerSet, steps, script, resource, dag, suspend, template, template ref',
  ],
  [
    'a container without an image, and a template that nothing calls',
    `{entrypoint: ok, templates: [${OK}, {name: b, container: {command: [x]}}]}`,
    'spec.templates[1].container.image: templates.b templates.b.container.image may not be empty',
  ],
  [
    'a step that calls nothing',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: zz}]]}]}`,
    "spec.templates[0].steps[0][0]: templates.main.steps[0].a template name 'zz' undefined",
  ],
  [
    'names of steps, over all groups',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: ok}], [{name: a, template: ok}]]}, ${OK}]}`,
    "spec.templates[0].steps[1][0].name: templates.main.steps[1].name 'a' is not unique",
  ],
  [
    'an output of a later step',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: echo, arguments: {parameters: [{name: m, value: "{{steps.b.outputs.result}}"}]}}], [{name: b, template: ok}]]}, ${ECHO}, ${OK}]}`,
    'spec.templates[0].steps[0][0].arguments.parameters[0].value: templates.main.steps failed to resolve {{steps.b.outputs.result}}',
  ],
  [
    'an output that the step does not have',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: ok}], [{name: b, template: echo, arguments: {parameters: [{name: m, value: "{{steps.a.outputs.parameters.zz}}"}]}}]]}, ${ECHO}, ${OK}]}`,
    'spec.templates[0].steps[1][0].arguments.parameters[0].value: templates.main.steps failed to resolve {{steps.a.outputs.parameters.zz}}',
  ],
  [
    'an input without a value, in a step',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: echo}]]}, ${ECHO}]}`,
    'spec.templates[1].inputs: templates.main.steps[0].a templates.echo inputs.parameters.m was not supplied',
  ],
  [
    'a mistake behind two calls says the way to it',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: d}]]}, {name: d, dag: {tasks: [{name: t, template: bad}]}}, {name: bad, container: {image: i, args: ["{{inputs.parameters.zz}}"]}}]}`,
    'spec.templates[2].container.args[0]: templates.main.steps[0].a templates.d.tasks.t templates.bad: failed to resolve {{inputs.parameters.zz}}',
  ],
  [
    'a parameter of the workflow that there is not, and words that are no roots',
    '{entrypoint: main, templates: [{name: main, container: {image: i, args: ["{{workflow.parameters.zz}} {{foo}} {{foo.bar}} {{=workflow.nope}} {{workflow.labels.json}}"]}}]}',
    'spec.templates[0].container.args[0]: templates.main: failed to resolve {{workflow.parameters.zz}}',
  ],
  [
    'of a tag in a tag, the inner one is looked up',
    '{entrypoint: main, arguments: {parameters: [{name: k, value: v}]}, templates: [{name: main, container: {image: i, args: ["{{workflow.parameters.{{workflow.parameters.k}}}}", "{{workflow.parameters.{{workflow.parameters.no}}}}"]}}]}',
    'spec.templates[0].container.args[1]: templates.main: failed to resolve {{workflow.parameters.{{workflow.parameters.no}}',
  ],
  [
    'a tag that is never closed',
    '{entrypoint: main, templates: [{name: main, container: {image: i, args: ["a {{workflow.name"]}}]}',
    'spec.templates[0].container.args[0]: templates.main: failed to resolve {{workflow.name',
  ],
  [
    'an item where there is no loop',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: echo, arguments: {parameters: [{name: m, value: "{{item.x}}"}]}}, {name: b, template: echo, withItems: [{x: 1}], arguments: {parameters: [{name: m, value: "{{item.x}}"}]}}]]}, ${ECHO}]}`,
    'spec.templates[0].steps[0][0].arguments.parameters[0].value: templates.main.steps failed to resolve {{item.x}}',
  ],
  [
    'two loops in one',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: ok, withItems: [1], withParam: "[]"}, {name: b, template: ok, withSequence: {count: 1, end: 2}}]]}, ${OK}]}`,
    'spec.templates[0].steps[0][0]: templates.main.steps[0].a only one of withItems, withParam, withSequence can be specified',
    'spec.templates[0].steps[0][1].withSequence: templates.main.steps[0].b only one of count or end can be defined in withSequence',
  ],
  [
    'an item of a loop whose field is empty, which is no loop',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: echo, withItems: [], arguments: {parameters: [{name: m, value: "{{item.x}}"}]}}, {name: b, template: ok, withItems: [], withSequence: {count: 1}}]]}, ${ECHO}, ${OK}]}`,
    'spec.templates[0].steps[0][0].arguments.parameters[0].value: templates.main.steps failed to resolve {{item.x}}',
  ],
  [
    'a dag without tasks',
    '{entrypoint: main, templates: [{name: main, dag: {tasks: []}}]}',
    'spec.templates[0].dag: templates.main must have at least one task',
  ],
  [
    'tasks that wait for each other',
    `{entrypoint: main, templates: [{name: main, dag: {tasks: [{name: a, template: ok, dependencies: [b]}, {name: b, template: ok, dependencies: [a]}]}}, ${OK}]}`,
    'spec.templates[0].dag: templates.main sorting failed: graph with cycle',
  ],
  [
    'a task that waits for one that there is not',
    `{entrypoint: main, templates: [{name: main, dag: {tasks: [{name: a, template: ok, dependencies: [zz]}]}}, ${OK}]}`,
    'spec.templates[0].dag.tasks[0]: templates.main sorting failed: invalid dependency zz',
  ],
  [
    'results of tasks',
    `{entrypoint: main, templates: [{name: main, dag: {tasks: [{name: a, template: ok}, {name: b, template: ok, depends: a.Nope}, {name: c, template: ok, depends: a.AnySucceeded}]}}, ${OK}]}`,
    "spec.templates[0].dag.tasks[1].depends: templates.main.tasks.b task result 'Nope' for task 'a' is invalid",
    "spec.templates[0].dag.tasks[2].depends: templates.main.tasks.c dependency 'a' uses an items-based condition such as .AnySucceeded or .AllFailed but does not contain any items",
  ],
  [
    'both spellings, continueOn, and a name that begins with a digit',
    `{entrypoint: main, templates: [{name: main, dag: {tasks: [{name: 1a, template: ok}, {name: b, template: ok, depends: 1a}, {name: c, template: ok, dependencies: [b], continueOn: {failed: true}}]}}, ${OK}]}`,
    "spec.templates[0].dag.tasks[0].name: templates.main.tasks.1a name cannot begin with a digit when using either 'depends' or 'dependencies'",
    "spec.templates[0].dag: templates.main cannot use both 'depends' and 'dependencies' in the same DAG template",
    "spec.templates[0].dag.tasks[2].continueOn: templates.main cannot use 'continueOn' when using 'depends'. Instead use 'dep-task.Failed'/'dep-task.Errored'",
  ],
  [
    'an output of a task that it does not wait for',
    `{entrypoint: main, templates: [{name: main, dag: {tasks: [{name: a, template: ok}, {name: b, template: echo, arguments: {parameters: [{name: m, value: "{{tasks.a.outputs.result}}"}]}}]}}, ${ECHO}, ${OK}]}`,
    "spec.templates[0].dag.tasks[1].arguments.parameters[0].value: templates.main.tasks.b missing dependency 'a' for parameter 'm'",
  ],
  [
    'a target that there is not',
    `{entrypoint: main, templates: [{name: main, dag: {target: a zz, tasks: [{name: a, template: ok}]}}, ${OK}]}`,
    "spec.templates[0].dag.target: templates.main.targets: target 'zz' is not defined",
  ],
  [
    'where outputs come from',
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, template: c}]], outputs: {parameters: [{name: x, valueFrom: {path: /x}}]}}, {name: c, container: {image: i}, outputs: {parameters: [{name: y}, {name: z, valueFrom: {parameter: q}}, {name: two, valueFrom: {path: /a, jsonPath: b}}], artifacts: [{name: art}]}}]}`,
    "spec.templates[1].outputs.artifacts[0].path: templates.main.steps[0].a error in templates.c.outputs.artifacts.art: Artifact 'art' did not specify a path",
    'spec.templates[1].outputs.parameters[0]: templates.main.steps[0].a templates.c.outputs.parameters.y does not have valueFrom or value specified',
    'spec.templates[1].outputs.parameters[1]: templates.main.steps[0].a templates.c.outputs.parameters.z.path must be specified for Container templates',
    'spec.templates[1].outputs.parameters[2]: templates.main.steps[0].a multiple valueFrom types specified. choose one of: path, jqFilter, jsonPath, parameter, raw',
    'spec.templates[0].outputs.parameters[0]: templates.main.outputs.parameters.x.parameter or expression must be specified for Steps templates',
  ],
  [
    'two things at one path',
    '{entrypoint: main, templates: [{name: main, inputs: {artifacts: [{name: f, path: /a, raw: {data: x}}]}, container: {image: i, volumeMounts: [{name: v, mountPath: /a}, {name: w, mountPath: /a}]}}]}',
    "spec.templates[0].container.volumeMounts[1].mountPath: templates.main.container.volumeMounts[1].mountPath '/a' already mounted in container.volumeMounts.v",
    "spec.templates[0].inputs.artifacts[0].path: templates.main.inputs.artifacts[0].path '/a' already mounted in container.volumeMounts.w",
  ],
  [
    'resources',
    '{entrypoint: main, templates: [{name: main, resource: {action: destroy}}]}',
    'spec.templates[0].resource.action: templates.main.resource.action must be one of: get, create, apply, delete, replace, patch',
    'spec.templates[0].resource.manifest: either templates.main.resource.manifest or templates.main.resource.manifestFrom must be specified',
  ],
  [
    'settings of other types of template',
    `{entrypoint: main, templates: [{name: main, timeout: 1s, activeDeadlineSeconds: 5, steps: [[{name: a, template: b}]]}, {name: b, parallelism: 2, activeDeadlineSeconds: 0, sidecars: [{name: wait, image: i}], retryStrategy: {retryPolicy: Never}, container: {image: i}}]}`,
    "spec.templates[0].timeout: Steps template doesn't support timeout field",
    'spec.templates[0].activeDeadlineSeconds: templates.main.activeDeadlineSeconds is only valid for leaf templates',
    'spec.templates[1].retryStrategy.retryPolicy: templates.main.steps[0].a Never is not a valid RetryPolicy',
    'spec.templates[1].sidecars[0].name: templates.main.steps[0].a templates.b.sidecars: "wait" is a reserved Argo container name',
    'spec.templates[1].activeDeadlineSeconds: templates.main.steps[0].a templates.b.activeDeadlineSeconds must be a positive integer > 0 or an argo variable',
    'spec.templates[1].parallelism: templates.main.steps[0].a templates.b.parallelism is only valid for steps and dag templates',
  ],
  [
    'hooks whose expression does not parse; one with a tag is read later',
    `{entrypoint: ok, hooks: {a: {template: ok, expression: "1 + + +"}, b: {template: ok, expression: "all([1], # > 0)"}, c: {template: ok, expression: "{{workflow.status}} == +"}}, templates: [${OK}]}`,
    'spec.hooks.a.expression: hooks.a.expression: unexpected token EOF (1:7)\n | 1 + + +\n | ......^',
  ],
  [
    'durations of leaves',
    `{entrypoint: main, templates: [{name: main, timeout: banana, container: {image: i}}, {name: s, suspend: {duration: forever}}, {name: o, memoize: {key: k, maxAge: soon, cache: {configMap: {name: c}}}, container: {image: i}}, {name: t, suspend: {duration: 20}}, {name: u, timeout: "{{workflow.name}}", container: {image: i}}]}`,
    'spec.templates[0].timeout: templates.main.timeout: "banana" is no duration: write numbers with units ns, us, ms, s, m or h, such as 500ms, 5s or 1m30s',
    'spec.templates[1].suspend.duration: templates.s templates.s.suspend.duration: "forever" is no duration: write numbers with units ns, us, ms, s, m or h, such as 500ms, 5s or 1m30s',
    'spec.templates[2].memoize.maxAge: templates.o templates.o.memoize.maxAge: "soon" is no duration: write numbers with units ns, us, ms, s, m or h, such as 500ms, 5s or 1m30s',
  ],
  [
    'templates that are no list',
    '{entrypoint: ok, templates: hello}',
    'spec.templates: spec.templates: expected a list, found the text "hello"',
  ],
  [
    'hooks: all but exit say when',
    `{entrypoint: ok, hooks: {exit: {template: ok}, running: {template: ok}, lost: {template: zz, expression: "true"}}, templates: [${OK}]}`,
    'spec.hooks.running: hooks.running Expression required',
    "spec.hooks.lost: template name 'zz' undefined",
  ],
  [
    'which pods are deleted',
    `{entrypoint: ok, podGC: {strategy: Sometimes}, templates: [${OK}]}`,
    "spec.podGC.strategy: podGC.strategy unknown strategy 'Sometimes'",
  ],
];

/** What Argo refuses since it cannot work. */
const USELESS: readonly (readonly [name: string, spec: string, ...problems: string[]])[] = [
  [
    'arguments of a step without value, and artifacts without a place',
    `{entrypoint: main, templates: [${ECHO}, {name: file, inputs: {artifacts: [{name: f, path: /f}]}, container: {image: i}}, {name: main, steps: [[{name: a, template: echo, arguments: {parameters: [{name: m}]}}, {name: b, template: file, arguments: {artifacts: [{name: f}]}}]]}]}`,
    'spec.templates[2].steps[0][0].arguments.parameters[0]: templates.main.steps[0].a.arguments.m.value or templates.main.steps[0].a.arguments.m.valueFrom is required',
    'spec.templates[2].steps[0][1].arguments.artifacts[0]: templates.main.steps[0].b.arguments.f.from, artifact location, or key is required',
  ],
  [
    'a manifest that is no YAML; tags may stand anywhere in it',
    '{entrypoint: main, templates: [{name: main, resource: {action: create, manifest: "a: [1\\nb: 2"}}, {name: ok, resource: {action: create, manifest: "kind: {{workflow.name}}\\n{{workflow.uid}}: {{=1 + 2}}\\n---\\nb: [{{workflow.name}}]"}}]}',
    'spec.templates[0].resource.manifest: templates.main.resource.manifest must be a valid yaml',
  ],
  [
    'what has failed, where nothing runs at the end',
    '{entrypoint: main, templates: [{name: main, container: {image: i, args: ["{{workflow.failures}}"]}}]}',
    'spec.templates[0].container.args[0]: templates.main: failed to resolve {{workflow.failures}}',
  ],
  [
    'what has failed, for an exit handler',
    `{entrypoint: ok, onExit: end, templates: [${OK}, {name: end, container: {image: i, args: ["{{workflow.failures}}"]}}]}`,
  ],
  [
    'metrics',
    `{entrypoint: main, templates: [{name: main, container: {image: i}, metrics: {prometheus: [{name: a-b, help: h, counter: {value: "1"}}, {name: c, counter: {value: "1"}}, {name: d, help: h, labels: [{key: a b, value: x}], gauge: {value: ""}}, {name: e, help: h, gauge: {realtime: true, value: "{{resourcesDuration.cpu}}"}}]}}]}`,
    "spec.templates[0].metrics.prometheus[0].name: templates.main metric name 'a-b' is invalid. Metric names must contain alphanumeric characters or '_'",
    "spec.templates[0].metrics.prometheus[1].help: templates.main metric 'c' must contain a help string under 'help: ' field",
    "spec.templates[0].metrics.prometheus[2].labels[0].key: metric label 'a b' is invalid: keys may only contain alphanumeric characters or '_'",
    "spec.templates[0].metrics.prometheus[2].gauge.value: templates.main metric 'd' error: missing gauge.value",
    "spec.templates[0].metrics.prometheus[3].gauge.value: templates.main metric 'e' error: 'resourcesDuration.*' metrics cannot be used in real-time",
  ],
];

for (const [name, spec, ...expected] of [...TABLE, ...USELESS]) {
  test(name, () => assert.deepEqual(problemsOf(spec), expected));
}

test('a name that is too long for labels', () => {
  const name = 'n'.repeat(64);
  const workflow = decodeWorkflow({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name },
    spec: parse(`{entrypoint: ok, templates: [${OK}]}`),
  });
  assert.deepEqual(validateWorkflow(workflow, { library: NO_TEMPLATES }), [
    {
      path: 'metadata.name',
      text: `workflow name "${name}" must not be more than 63 characters long (currently 64)`,
    },
  ]);
});

const LIBRARY: TemplateLibrary = {
  find: ({ name, clusterScope = false }) =>
    name === 'lib' && !clusterScope
      ? {
          spec: decodeWorkflowTemplate({
            apiVersion: 'argoproj.io/v1alpha1',
            kind: 'WorkflowTemplate',
            metadata: { name: 'lib' },
            spec: parse(
              `{entrypoint: main, arguments: {parameters: [{name: p}]}, templates: [${ECHO}, {name: main, inputs: {parameters: [{name: p}]}, steps: [[{name: a, template: echo, arguments: {parameters: [{name: m, value: "{{inputs.parameters.p}}"}]}}]]}]}`,
            ),
          }).spec,
          path: 'workflowtemplate/lib spec.templates',
        }
      : undefined,
};

test('a template of another object: its names are looked up there', () => {
  const call = (template: string) =>
    `{entrypoint: main, templates: [{name: main, steps: [[{name: a, templateRef: {name: lib, template: ${template}}, arguments: {parameters: [{name: p, value: x}]}}]]}]}`;
  assert.deepEqual(problemsOf(call('main'), LIBRARY), []);
  assert.deepEqual(problemsOf(call('zz'), LIBRARY), [
    'spec.templates[0].steps[0][0]: templates.main.steps[0].a template reference lib.zz not found',
  ]);
});

test('a workflow that runs a whole object takes entrypoint and arguments of it', () => {
  const ref = 'workflowTemplateRef: {name: lib}';
  assert.deepEqual(problemsOf(`{${ref}, arguments: {parameters: [{name: p, value: x}]}}`, LIBRARY), []);
  assert.deepEqual(problemsOf(`{${ref}}`, LIBRARY), [
    'spec.arguments.parameters[0]: spec.arguments.p.value or spec.arguments.p.valueFrom is required',
  ]);
  assert.deepEqual(problemsOf(`{${ref}, templates: [${OK}]}`, LIBRARY), [
    'spec.templates: Templates is invalid field in spec if workflow referred WorkflowTemplate reference',
  ]);
  assert.deepEqual(problemsOf('{workflowTemplateRef: {name: zz}}', LIBRARY), [
    'spec.workflowTemplateRef: workflow template reference zz not found',
  ]);
});

test('a library may leave values to those that use it', () => {
  const spec = `{arguments: {parameters: [{name: p}]}, templates: [${ECHO}]}`;
  assert.deepEqual(problemsOf(spec, NO_TEMPLATES, true), []);
});

test('arguments of a manifest that is only looked at may get their values when it is submitted', () => {
  const workflow = decodeWorkflow({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w' },
    spec: parse(`{entrypoint: ok, arguments: {parameters: [{name: p}]}, templates: [${OK}]}`),
  });
  assert.deepEqual(validateWorkflow(workflow, { library: NO_TEMPLATES, isLint: true }), []);
  assert.equal(validateWorkflow(workflow, { library: NO_TEMPLATES }).length, 1);
});

const WHO =
  '{name: t, container: {image: i, args: ["{{workflow.parameters.who}}"], env: [{name: A, value: "{{workflow.parameters.env}}"}]}}';
const LIBRARIES: readonly (readonly [about: string, spec: string])[] = [
  ['without arguments', `{templates: [${WHO}]}`],
  ['with some', `{arguments: {parameters: [{name: other, value: x}]}, templates: [${WHO}]}`],
  ['with an entrypoint', `{entrypoint: t, templates: [${WHO}]}`],
  [
    'in a condition and an argument',
    `{templates: [{name: main, steps: [[{name: a, template: echo, when: "{{workflow.parameters.on}} == true", arguments: {parameters: [{name: m, value: "{{workflow.parameters.m}}"}]}}]]}, ${ECHO}]}`,
  ],
];
for (const [about, spec] of LIBRARIES) {
  test(`a library may name parameters of the workflow that uses it: ${about}`, () => {
    assert.deepEqual(problemsOf(spec, NO_TEMPLATES, true), []);
    assert.ok(
      problemsOf(spec).some((problem) => problem.includes('failed to resolve {{workflow.parameters.')),
    );
  });
}

/** What Argo takes, each as the steps of `main`, beside the templates `ok` and `echo`. */
const ACCEPTED: readonly (readonly [about: string, main: string])[] = [
  ...['workflow.parameters.p', 'inputs.parameters.own'].flatMap((tag) => [
    [
      `templateRef with ${tag} as template`,
      `{name: main, inputs: {parameters: [{name: own, value: x}]}, steps: [[{name: a, templateRef: {name: lib, template: "{{${tag}}}"}, arguments: {parameters: [{name: m, value: x}]}}], [{name: b, template: echo, arguments: {parameters: [{name: m, value: "{{steps.a.outputs.result}}"}]}}]]}`,
    ] as const,
    [
      `templateRef with ${tag} as name, of a hook`,
      `{name: main, inputs: {parameters: [{name: own, value: x}]}, dag: {tasks: [{name: a, template: ok, hooks: {exit: {templateRef: {name: "{{${tag}}}", template: t}}}}]}}`,
    ] as const,
  ]),
  [
    'templateRef with item',
    '{name: main, steps: [[{name: a, withItems: [x], templateRef: {name: lib, template: "{{item}}"}}]]}',
  ],
  [
    'a task that names its own outputs',
    '{name: main, dag: {tasks: [{name: a, template: file, arguments: {artifacts: [{name: f, raw: {data: "{{tasks.a.outputs.result}}"}}]}}]}}',
  ],
  [
    'an artifact of a task that need not have run',
    '{name: main, dag: {tasks: [{name: a, template: ok}, {name: b, template: file, arguments: {artifacts: [{name: f, raw: {data: "{{tasks.a.outputs.result}}"}}]}}]}}',
  ],
  [
    'names of steps with tags',
    '{name: main, inputs: {parameters: [{name: own, value: x}]}, steps: [[{name: "run-{{inputs.parameters.own}}", template: ok}]]}',
  ],
  [
    'names of tasks with tags',
    '{name: main, inputs: {parameters: [{name: own, value: x}]}, dag: {tasks: [{name: "{{inputs.parameters.own}}", template: ok}, {name: b, template: ok, dependencies: ["{{inputs.parameters.own}}"]}]}}',
  ],
  ['a script without a source', '{name: main, script: {image: i, command: [echo]}}'],
  [
    'an output of the workflow whose name is made of an input',
    '{name: main, steps: [[{name: a, template: made, arguments: {parameters: [{name: v, value: x}]}}], [{name: b, template: echo, arguments: {parameters: [{name: m, value: "{{workflow.outputs.artifacts.o-x}}"}]}}]]}',
  ],
  [
    'an output of the workflow that a template within a step makes',
    '{name: main, steps: [[{name: a, inline: {container: {image: i}, outputs: {parameters: [{name: o, valueFrom: {path: /o}, globalName: made-here}]}}}], [{name: b, template: echo, arguments: {parameters: [{name: m, value: "{{workflow.outputs.parameters.made-here}}"}]}}]]}',
  ],
];
for (const [about, main] of ACCEPTED) {
  test(`accepted: ${about}`, () => {
    const file = '{name: file, inputs: {artifacts: [{name: f, path: /f}]}, container: {image: i}}';
    const made =
      '{name: made, inputs: {parameters: [{name: v}]}, container: {image: i}, outputs: {artifacts: [{name: o, path: /o, globalName: "o-{{inputs.parameters.v}}"}]}}';
    const templates = main.includes('template: made') ? [OK, ECHO, file, made] : [OK, ECHO, file];
    const spec = `{entrypoint: main, arguments: {parameters: [{name: p, value: x}]}, templates: [${main}, ${templates.join(', ')}]}`;
    assert.deepEqual(problemsOf(spec), []);
  });
}

test('templates are judged with the defaults of the workflow below them', () => {
  const templates =
    '[{name: main, steps: [[{name: a, template: s}]]}, {name: s, script: {source: x}}, {name: c, container: {args: [x]}}]';
  const defaults =
    '{script: {image: i, command: [sh]}, container: {image: i}, timeout: 5m, activeDeadlineSeconds: 30, parallelism: 2}';
  assert.deepEqual(
    problemsOf(`{entrypoint: main, templateDefaults: ${defaults}, templates: ${templates}}`),
    [],
  );
  assert.deepEqual(
    problemsOf(`{entrypoint: main, templateDefaults: {timeout: 5m}, templates: ${templates}}`),
    [
      'spec.templates[1].script.image: templates.main.steps[0].a templates.s.script.image may not be empty',
      'spec.templates[2].container.image: templates.c templates.c.container.image may not be empty',
    ],
  );
});

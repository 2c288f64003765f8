/** Probes: the entries of `ChaosEngine.spec.experiments[].spec.probe`. Keys such as `httpProbe/inputs` are upstream's. */

import type { Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import type Type from 'typebox';
import { PROBE_TYPES } from '../probe-types/index.ts';
import { choice, fields, flag, listOf, optional, text, textMap, texts, whole } from './build.ts';
import { loadProbeInputsSchema } from './load.ts';
import { envSchema, pullPolicySchema, pullSecretsSchema, tolerationsSchema } from './parts.ts';
import { insecureSkipVerify, type TlsConfig, tlsConfigSchema } from './tls.ts';
import { COMPARATOR_TYPES, K8S_OPERATIONS, PROBE_MODES } from './vocabulary.ts';

const criteria = text(
  'How the measured value is compared. Numbers: >=, <=, >, <, ==, !=, oneOf, between; texts: equal, notEqual, contains, matches, notMatches, oneOf.',
);
const value = text(
  'What the measured value is compared with. For oneOf a list of items with commas between them, for between the two limits with a comma between.',
);
const responseCode = optional(
  text(
    'Expected HTTP status of the answer, such as 200; for oneOf and between a list with commas. Exactly one of responseCode and responseBody is given.',
  ),
);
const responseBody = optional(
  text(
    'Expected body of the answer, instead of its status; criteria are then those of texts, such as contains.',
  ),
);
/** How a measured value is compared; the type is known from the probe. */
const comparatorSchema = fields(
  'How the measured value is judged. The value is a number: the one sample that the query of a promProbe gives, or by how many percentage points the error budget of a sloProbe dropped.',
  {
    type: optional(text('Accepted and not used: both sides are read as float.')),
    criteria,
    value,
  },
);

/** A pod of its own in which a cmdProbe runs its command. */
const cmdSourceSchema = fields(
  'Pod of its own in which the command is run; it is deleted after the probe. Absent: the command is run in the experiment container.',
  {
    image: text('Image of the pod; it must have /bin/sh.', { minLength: 1 }),
    hostNetwork: optional(flag('true: the pod uses the network of its node. Default: false.')),
    inheritInputs: optional(
      flag(
        'true: the pod takes over the environment variables and resources of the experiment container, and its volume cloud-secret. Default: false.',
      ),
    ),
    args: optional(
      texts('Arguments of the container. Absent: a shell script that waits until the pod is deleted.'),
    ),
    env: optional(envSchema),
    labels: optional(textMap('Labels of the pod besides name and chaosUID. Default: none.')),
    annotations: optional(textMap('Annotations of the pod. Default: none.')),
    command: optional(
      texts(
        'Command of the container, which has to keep running while the probe uses the pod. Default: /bin/sh.',
      ),
    ),
    imagePullPolicy: optional(pullPolicySchema),
    privileged: optional(flag('true: the container is privileged. Default: false.')),
    nodeSelector: optional(
      textMap('Labels that a node must have for the pod to run on it. Absent: any node.'),
    ),
    tolerations: optional(tolerationsSchema),
    volumes: optional(listOf<Volume>('Volumes of the pod, as in any pod. Default: none.')),
    volumeMount: optional(
      listOf<VolumeMount>('Mounts of those volumes in the container, as in any container. Default: none.'),
    ),
    imagePullSecrets: optional(pullSecretsSchema),
  },
);

/** Inputs of an httpProbe. */
const httpProbeInputsSchema = fields('What an httpProbe requests, and which answer it expects.', {
  url: text(
    'URL of the request, http or https. It may hold templates, which are replaced by the output of passed cmdProbes: {{ .<probe name>.ProbeArtifacts.Register }}.',
    { minLength: 1 },
  ),
  insecureSkipVerify,
  tlsConfig: optional(tlsConfigSchema),
  method: fields(
    'The request: get or post. With both, get is sent.',
    {
      get: optional(
        fields('Sends a GET request, and says which answer is expected.', {
          criteria,
          responseCode,
          responseBody,
        }),
      ),
      post: optional(
        fields('Sends a POST request, and says which answer is expected; body or bodyPath is required.', {
          contentType: optional(text('Value of the header Content-Type. Absent: the header is not sent.')),
          body: optional(text('Body of the request; wins over bodyPath.')),
          bodyPath: optional(
            text('Path of the file in the experiment pod that holds the body of the request.'),
          ),
          criteria,
          responseCode,
          responseBody,
        }),
      ),
    },
    { minProperties: 1 },
  ),
});

/** Inputs of a cmdProbe. */
const cmdProbeInputsSchema = fields('What a cmdProbe runs, and which output it expects.', {
  command: text(
    'Shell text that /bin/sh -c runs; its standard output without blanks around it is compared. It may hold templates, which are replaced by the output of passed cmdProbes.',
    { minLength: 1 },
  ),
  comparator: fields('How the output of the command is judged.', {
    type: choice('As what the output and value are read before they are compared.', COMPARATOR_TYPES),
    criteria,
    value,
  }),
  source: optional(cmdSourceSchema),
});

/** Inputs of a k8sProbe. */
const k8sProbeInputsSchema = fields('Which objects of the cluster a k8sProbe looks for, makes or deletes.', {
  group: optional(text('API group of the resource. Absent or empty: the core group.')),
  version: text('API version of the resource, such as v1.'),
  resource: text('Plural name of the resource, such as pods.'),
  namespace: optional(
    text('Namespace of the objects. Absent or empty: all namespaces, or a resource without namespaces.'),
  ),
  resourceNames: optional(
    text(
      'Names of the objects, separated by commas; selectors beside it must hold for them as well. It may hold templates. Absent: the selectors choose the objects.',
    ),
  ),
  fieldSelector: optional(
    text(
      'Field selector of the objects, such as status.phase=Running. It may hold templates. Absent: any object.',
    ),
  ),
  labelSelector: optional(
    text('Label selector of the objects, such as app=cart. It may hold templates. Absent: any object.'),
  ),
  operation: choice(
    'What is done. present: the probe passes when an object exists; absent: when none exists; create: the object of data is made; delete: the objects are deleted.',
    K8S_OPERATIONS,
  ),
});

/** Inputs of a promProbe. */
const promProbeInputsSchema = fields('What a promProbe asks a Prometheus, and which value it expects.', {
  endpoint: text('Base URL of the Prometheus, such as http://prometheus.monitoring:9090.'),
  tlsConfig: optional(tlsConfigSchema),
  query: optional(
    text('Query in PromQL, which must give exactly one value; wins over queryPath. One of both is required.'),
  ),
  queryPath: optional(text('Path of the file in the experiment pod that holds the query.')),
  comparator: comparatorSchema,
});

/** Inputs of a sloProbe. */
const sloProbeInputsSchema = fields(
  'Which service level objective a sloProbe asks for, and how far its error budget may drop.',
  {
    platformEndpoint: text(
      'Base URL of the API of the platform that holds the objective, such as https://host/gateway/cv/api.',
    ),
    sloIdentifier: text('Identifier of the objective on the platform.'),
    insecureSkipVerify,
    evaluationWindow: optional(
      fields(
        'Span of time that is judged. Absent: from the beginning of chaos, or 15 minutes ago while chaos has not begun, until the probe runs.',
        {
          evaluationStartTime: optional(
            whole(
              'Start of the span, in milliseconds or seconds since 1970. Absent: when chaos began; before chaos, 15 minutes before the end of the span.',
              { format: 'int64' },
            ),
          ),
          evaluationEndTime: optional(
            whole('End of the span, in milliseconds or seconds since 1970. Absent: when the probe runs.', {
              format: 'int64',
            }),
          ),
        },
      ),
    ),
    sloSourceMetadata: fields('Credentials for the platform, and where on it the objective is defined.', {
      apiTokenSecret: text(
        'Name of the secret, in the namespace of the engine, whose key X-API-KEY holds the API token.',
      ),
      scope: fields('Account, organisation and project in which the objective is defined.', {
        accountIdentifier: text('Identifier of the account; required.'),
        orgIdentifier: text('Identifier of the organisation; an empty one is not sent.'),
        projectIdentifier: text('Identifier of the project; an empty one is not sent.'),
      }),
    }),
    comparator: comparatorSchema,
  },
);

/** How often and how long a probe tries. Durations are Go duration text: `1m30s`, `100ms`, `0.5s`. */
const runPropertiesSchema = fields(
  'How often and how long the probe tries. Durations are texts such as 1m30s, 100ms or 0.5s, at most 168h (seven days).',
  {
    probeTimeout: text(
      'Longest time that one attempt may take, as a duration; it is then interrupted and has failed. Empty or 0: STATUS_CHECK_TIMEOUT of the experiment, 180 s by default.',
    ),
    interval: text('Pause between two attempts of one run, as a duration. Empty: 0.'),
    attempt: optional(
      whole('How many attempts one run has; the first that passes ends it. Absent or 0: retry, else 1.'),
    ),
    retry: optional(whole('Older name of attempt, used when attempt is absent or 0.')),
    probePollingInterval: optional(
      text(
        'Pause between two runs of a Continuous or OnChaos probe, as a duration. Absent or 0: interval, else 1s.',
      ),
    ),
    initialDelay: optional(
      text('Pause before the first run, as a duration. Absent or 0: initialDelaySeconds, else none.'),
    ),
    initialDelaySeconds: optional(
      whole('Seconds of pause before the first run, used when initialDelay is absent or 0. Default: 0.'),
    ),
    evaluationTimeout: optional(
      text(
        'How long a sloProbe waits for the values of the platform up to the end of its span, as a duration. Absent or 0: it does not wait.',
      ),
    ),
    stopOnFailure: optional(
      flag(
        'true: the experiment stops when this probe fails, with verdict Stopped. Default: false; the experiment goes on, and its verdict is Fail.',
      ),
    ),
    verbosity: optional(
      text(
        'info: a comparison is logged on the first run of the probe only. Absent or anything else: on every run, at most ten times a second.',
      ),
    ),
  },
  { minProperties: 2 },
);

/** What of its measurements may fail. */
const toleranceSchema = fields(
  'How much may go wrong while and after the fault is in force, for a Continuous or OnChaos probe; it fails when one of the limits is exceeded, and has no verdict when too little was measured to know. Without failed and outage nothing may fail. Absent: the first failure fails the probe.',
  {
    failed: optional(
      text(
        'Largest share of the measurements that may fail, such as 1% or 0.5%; of those while the fault is in force, and of those while and after it.',
      ),
    ),
    outage: optional(
      text(
        'Longest time from the first measurement that fails to the next that succeeds, as a duration such as 2s; more than probePollingInterval.',
      ),
    ),
    p50: optional(text('Highest median latency while the fault is in force, as a duration such as 100ms.')),
    p95: optional(
      text(
        'Highest 95th percentile of the latencies while the fault is in force, as a duration such as 300ms.',
      ),
    ),
    p99: optional(
      text('Highest 99th percentile of the latencies while the fault is in force, as a duration such as 1s.'),
    ),
    max: optional(text('Highest latency while the fault is in force, as a duration such as 5s.')),
  },
);

/** A probe: a check of steady state. */
export const probeSchema = fields('A probe: a check of steady state.', {
  name: text('Name of the probe in its experiment; results and templates refer to it.', { minLength: 1 }),
  type: choice(
    'What the probe looks at; its inputs stand in the field <type>/inputs, such as httpProbe/inputs.',
    PROBE_TYPES,
  ),
  mode: choice(
    'When the probe runs. SOT: once before chaos; EOT: once after chaos is reverted; Edge: both; Continuous: again and again, from before chaos until after it; OnChaos: again and again while chaos is in force.',
    PROBE_MODES,
  ),
  runProperties: runPropertiesSchema,
  tolerance: optional(toleranceSchema),
  data: optional(
    text(
      'Manifest (YAML) of the object that operation create of a k8sProbe makes; required for it, and not used otherwise.',
    ),
  ),
  'httpProbe/inputs': optional(httpProbeInputsSchema),
  'cmdProbe/inputs': optional(cmdProbeInputsSchema),
  'k8sProbe/inputs': optional(k8sProbeInputsSchema),
  'promProbe/inputs': optional(promProbeInputsSchema),
  'sloProbe/inputs': optional(sloProbeInputsSchema),
  'loadProbe/inputs': optional(loadProbeInputsSchema),
});

/** A probe as an engine holds it. */
export type Probe = Type.Static<typeof probeSchema>;
export type { TlsConfig };
export type LoadProbeInputs = Type.Static<typeof loadProbeInputsSchema>;
export type RunProperties = Type.Static<typeof runPropertiesSchema>;
export type HttpProbeInputs = Type.Static<typeof httpProbeInputsSchema>;
export type CmdProbeInputs = Type.Static<typeof cmdProbeInputsSchema>;
/** The pod a cmdProbe runs its command in, instead of the experiment pod. */
export type CmdProbeSource = Type.Static<typeof cmdSourceSchema>;
export type K8sProbeInputs = Type.Static<typeof k8sProbeInputsSchema>;
export type PromProbeInputs = Type.Static<typeof promProbeInputsSchema>;
export type SloProbeInputs = Type.Static<typeof sloProbeInputsSchema>;

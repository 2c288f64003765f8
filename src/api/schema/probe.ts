/** Probes: the entries of `ChaosEngine.spec.experiments[].spec.probe`. Keys such as `httpProbe/inputs` are upstream's. */
import type Type from 'typebox';
import type { Volume, VolumeMount } from '../core.ts';
import { choice, fields, flag, listOf, optional, text, textMap, texts, whole } from './build.ts';
import { envSchema, pullPolicySchema, pullSecretsSchema, tolerationsSchema } from './parts.ts';
import { COMPARATOR_TYPES, K8S_OPERATIONS, PROBE_MODES, PROBE_TYPES } from './vocabulary.ts';

const criteria = text('How the measured value is compared.');
const value = text('What it is compared with; a comma makes it a list.');
const responseCode = optional(text('Expected status, a list for oneOf and between.'));
const responseBody = optional(
  text('Expected body instead of a status: criteria are then those of texts, such as contains.'),
);
const insecureSkipVerify = optional(flag('Do not verify the TLS certificate.'));

/** Certificates of a TLS connection; the files lie in the experiment pod. */
const tlsConfigSchema = fields('Certificates that the connection uses.', {
  caFile: optional(text('File with the authorities (PEM) to trust instead of the usual ones.')),
  certFile: optional(text('File with the certificate (PEM) to show.')),
  keyFile: optional(text('File with the key (PEM) of that certificate.')),
  insecureSkipVerify,
});

/** How a measured value is compared; the type is known from the probe. */
const comparatorSchema = fields('How the measured value is judged.', {
  type: optional(text('int, float or string.')),
  criteria,
  value,
});

/** A pod of its own in which a cmdProbe runs its command. */
const cmdSourceSchema = fields('Runs the command in a pod of its own; absent: in the experiment pod.', {
  image: text('Image of the pod.', { minLength: 1 }),
  hostNetwork: optional(flag("Use the node's network.")),
  inheritInputs: optional(flag('Take over environment and volumes of the experiment container.')),
  args: optional(texts('Arguments of the container.')),
  env: optional(envSchema),
  labels: optional(textMap('Further labels of the pod.')),
  annotations: optional(textMap('Annotations of the pod.')),
  command: optional(texts('Command of the container.')),
  imagePullPolicy: optional(pullPolicySchema),
  privileged: optional(flag('Run privileged.')),
  nodeSelector: optional(textMap('Labels of the node it may run on.')),
  tolerations: optional(tolerationsSchema),
  volumes: optional(listOf<Volume>('Volumes of the pod.')),
  volumeMount: optional(listOf<VolumeMount>('Mounts of the container.')),
  imagePullSecrets: optional(pullSecretsSchema),
});

/** Inputs of an httpProbe. */
const httpProbeInputsSchema = fields('What an httpProbe asks.', {
  url: text('URL to request; may hold templates.', { minLength: 1 }),
  insecureSkipVerify,
  tlsConfig: optional(tlsConfigSchema),
  method: fields(
    'GET or POST.',
    {
      get: optional(fields('A GET request.', { criteria, responseCode, responseBody })),
      post: optional(
        fields('A POST request.', {
          contentType: optional(text('Content type of the body.')),
          body: optional(text('Body.')),
          bodyPath: optional(text('File in the experiment pod that holds the body; body wins.')),
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
const cmdProbeInputsSchema = fields('What a cmdProbe runs.', {
  command: text('Shell text; its trimmed output is compared. May hold templates.', { minLength: 1 }),
  comparator: fields('How the output is judged.', {
    type: choice('As what both sides are read.', COMPARATOR_TYPES),
    criteria,
    value,
  }),
  source: optional(cmdSourceSchema),
});

/** Inputs of a k8sProbe. */
const k8sProbeInputsSchema = fields('Which resources a k8sProbe looks at.', {
  group: optional(text('API group; empty is the core group.')),
  version: text('API version.'),
  resource: text('Plural name of the resource.'),
  namespace: optional(text('Namespace; empty means all, or a cluster-scoped resource.')),
  resourceNames: optional(text('Names, separated by commas; wins over the selectors.')),
  fieldSelector: optional(text('Field selector.')),
  labelSelector: optional(text('Label selector.')),
  operation: choice('What is done.', K8S_OPERATIONS),
});

/** Inputs of a promProbe. */
const promProbeInputsSchema = fields('What a promProbe asks.', {
  endpoint: text('Base URL of Prometheus.'),
  tlsConfig: optional(tlsConfigSchema),
  query: optional(text('PromQL; wins over queryPath.')),
  queryPath: optional(text('File in the experiment pod that holds the PromQL.')),
  comparator: comparatorSchema,
});

/** Inputs of a sloProbe. */
const sloProbeInputsSchema = fields('Which service level objective a sloProbe looks at.', {
  platformEndpoint: text('Base URL of the API of the platform, such as https://host/gateway/cv/api.'),
  sloIdentifier: text('Identifier of the objective.'),
  insecureSkipVerify,
  evaluationWindow: optional(
    fields('Time that is judged.', {
      evaluationStartTime: optional(
        whole('Start, in milliseconds or seconds since 1970; absent: when chaos began.', { format: 'int64' }),
      ),
      evaluationEndTime: optional(
        whole('End, in milliseconds or seconds since 1970; absent: when the probe runs.', {
          format: 'int64',
        }),
      ),
    }),
  ),
  sloSourceMetadata: fields('How the platform is reached.', {
    apiTokenSecret: text('Secret whose key X-API-KEY holds the API token.'),
    scope: fields('Where the objective is defined.', {
      accountIdentifier: text('Account.'),
      orgIdentifier: text('Organisation.'),
      projectIdentifier: text('Project.'),
    }),
  }),
  comparator: comparatorSchema,
});

/** How often and how long a probe tries. Durations are Go duration text: `1m30s`, `100ms`, `0.5s`. */
const runPropertiesSchema = fields(
  'How often and how long the probe tries.',
  {
    probeTimeout: text('Limit of one attempt (duration).'),
    interval: text('Pause between attempts (duration).'),
    attempt: optional(whole('Number of attempts.')),
    retry: optional(whole('Older name of attempt.')),
    probePollingInterval: optional(text('Pause between runs in Continuous and OnChaos (duration).')),
    initialDelay: optional(text('Wait before the first run (duration).')),
    initialDelaySeconds: optional(whole('Wait before the first run in seconds; initialDelay wins.')),
    evaluationTimeout: optional(text('How long a sloProbe waits for values up to the end (duration).')),
    stopOnFailure: optional(flag('A failure stops the experiment.')),
    verbosity: optional(text('How much is logged.')),
  },
  { minProperties: 2 },
);

/** A probe: a check of steady state. */
export const probeSchema = fields('A check of steady state.', {
  name: text('Identity inside the experiment; key of templates.', { minLength: 1 }),
  type: choice('What the probe looks at; its inputs stand under <type>/inputs.', PROBE_TYPES),
  mode: choice('When it runs.', PROBE_MODES),
  runProperties: runPropertiesSchema,
  data: optional(text('Manifest in YAML, for the create operation of a k8sProbe.')),
  'httpProbe/inputs': optional(httpProbeInputsSchema),
  'cmdProbe/inputs': optional(cmdProbeInputsSchema),
  'k8sProbe/inputs': optional(k8sProbeInputsSchema),
  'promProbe/inputs': optional(promProbeInputsSchema),
  'sloProbe/inputs': optional(sloProbeInputsSchema),
});

/** A probe as an engine holds it. */
export type Probe = Type.Static<typeof probeSchema>;
export type TlsConfig = Type.Static<typeof tlsConfigSchema>;
export type RunProperties = Type.Static<typeof runPropertiesSchema>;
export type HttpProbeInputs = Type.Static<typeof httpProbeInputsSchema>;
export type CmdProbeInputs = Type.Static<typeof cmdProbeInputsSchema>;
/** The pod a cmdProbe runs its command in, instead of the experiment pod. */
export type CmdProbeSource = Type.Static<typeof cmdSourceSchema>;
export type K8sProbeInputs = Type.Static<typeof k8sProbeInputsSchema>;
export type PromProbeInputs = Type.Static<typeof promProbeInputsSchema>;
export type SloProbeInputs = Type.Static<typeof sloProbeInputsSchema>;

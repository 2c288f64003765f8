/** Recordings that the engine decides in another way on purpose, with the reason. */
export const DELIBERATE: Readonly<Record<string, string>> = {
  'cron/c-cron-every.json':
    'an @every schedule keeps its beat; Argo begins it anew with each change of the object',
  'cron/c-cron-forbid.json':
    'an @every schedule keeps its beat; Argo begins it anew with each change of the object',
  'cron/c-cron-replace.json':
    'an @every schedule keeps its beat; Argo begins it anew with each change of the object',
  'daemon-nginx.json':
    'a daemon that was not ready when the workflow was terminated: one blank more in the message',
  'exit-handler-with-artifacts.json':
    'a hook that cannot be resolved is a node with the error; Argo ends the whole workflow with an operation error',
  'step-level-timeout.json': 'a step that timed out does not end its group while another step still runs',
  'template-defaults.json':
    'a pending node times out when its time is up; Argo looked later, and the pod ran by then',
  'variants/v-bad-open-tag.json':
    'a tag without an end is shown with its own text; Argo goes on through the JSON around it',
  'variants/v-expr-bad-5.json':
    'a function that is not there is refused where it stands, not by a later pass over escaped text',
  'variants/v-expr-bad-3.json':
    'an expression that is left over is an error that names it; Argo gives the container the tag itself, and succeeds',
  'variants/v-retry-backoff-max.json':
    'a recording has no times of ends: by the time at which the second one was seen, the next attempt would be too late; ' +
    'by its own time it was not, and Argo looked too late',
  'variants/v-stop-steps.json':
    'a stopped pod that failed shows the reason of its end; Argo shows what it sees first',
  'variants/v-terminate-retry.json':
    'a stopped pod that failed shows the reason of its end; Argo shows what it sees first',
};

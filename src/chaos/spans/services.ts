/** Program names of spans (`service.name`); upstream's where it has them. */
export const SERVICES = {
  operator: 'chaos_operator',
  runner: 'chaos_runner',
  experiment: 'chaos_experiment_job',
  helper: 'chaos_experiment_job_helper',
} as const;

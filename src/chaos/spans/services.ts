/** Programs that spans are shown under (`service.name`); the names of upstream's where there are such. */
export const SERVICES = {
  operator: 'chaos_operator',
  runner: 'chaos_runner',
  experiment: 'chaos_experiment_job',
  helper: 'chaos_experiment_job_helper',
} as const;

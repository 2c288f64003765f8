/** The alerts on what the exporter shows. `npm run generate` writes them for Prometheus without its operator. */

/** A group of rules, as Prometheus reads it. */
interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: 'critical' | 'warning' | 'info' };
  readonly annotations: { readonly summary: string; readonly description: string };
}

export const ALERT_GROUPS: readonly RuleGroup[] = [
  {
    name: 'turnsole',
    rules: [
      {
        alert: 'ChaosLeftInForce',
        expr: 'turnsole_residue_open > 0',
        for: '5m',
        labels: { severity: 'critical' },
        annotations: {
          summary: 'Chaos is in force although its run is over',
          description:
            '{{ $labels.fault_name }} of result {{ $labels.chaosresult_namespace }}/{{ $labels.chaosresult_name }} has {{ $value }} ' +
            'injection(s) that are not reverted: "turnsole timeline" of the result says which, and what was tried.',
        },
      },
      {
        alert: 'ChaosRunFailed',
        expr:
          'sum by (chaosresult_namespace, fault_name, verdict) ' +
          '(increase(turnsole_runs_total{verdict=~"Fail|Error"}[10m])) > 0',
        labels: { severity: 'warning' },
        annotations: {
          summary: 'A chaos run did not pass',
          description:
            '{{ $labels.fault_name }} in namespace {{ $labels.chaosresult_namespace }} ended with {{ $labels.verdict }}.',
        },
      },
      {
        alert: 'ChaosRunDoesNotEnd',
        expr: 'litmuschaos_awaited_experiments == 1',
        for: '2h',
        labels: { severity: 'warning' },
        annotations: {
          summary: 'A chaos run has gone on for two hours',
          description:
            '{{ $labels.fault_name }} of engine {{ $labels.chaosresult_namespace }}/{{ $labels.chaosengine_name }} has no verdict yet.',
        },
      },
      {
        alert: 'ChaosRevertsSlowly',
        expr:
          'histogram_quantile(0.95, sum by (fault_name, le) ' +
          '(rate(turnsole_revert_latency_seconds_bucket[1h]))) > 30',
        labels: { severity: 'warning' },
        annotations: {
          summary: 'Chaos is reverted late',
          description:
            'One in twenty injections of {{ $labels.fault_name }} was in force for {{ $value | humanizeDuration }} longer than asked for.',
        },
      },
      {
        alert: 'ChaosHaltedForLong',
        expr: 'time() - turnsole_halted_since_timestamp_seconds > 86400',
        labels: { severity: 'info' },
        annotations: {
          summary: 'Chaos has been halted for a day',
          description:
            'The safety lever ({{ $labels.scope }} {{ $labels.halted_namespace }}) was pulled {{ $value | humanizeDuration }} ago; ' +
            '"turnsole resume" releases it.',
        },
      },
      {
        alert: 'ChaosExporterIsBlind',
        expr: 'turnsole_exporter_following == 0',
        for: '5m',
        labels: { severity: 'warning' },
        annotations: {
          summary: 'The chaos exporter shows what was',
          description: 'Its copy of {{ $labels.resource }} is not current; its log says what keeps it.',
        },
      },
      {
        alert: 'ChaosExporterIsGone',
        expr: 'absent(turnsole_build_info)',
        for: '5m',
        labels: { severity: 'warning' },
        annotations: {
          summary: 'There are no metrics of chaos',
          description: 'No exporter is scraped: its pod does not run, or Prometheus does not find it.',
        },
      },
    ],
  },
];

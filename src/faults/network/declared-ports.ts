import type { DeclaredPorts } from '../../experiment/injection/fault.ts';

/**
 * Doubts about a port by the declared ones: `TARGET_SERVICE_PORT is 9999, but pod shop/web declares 8000`. Pods that declare no
 * ports raise no doubt: a server need not be declared. Pure.
 */
export function undeclaredPorts(
  setting: string,
  ports: readonly number[],
  declared: readonly DeclaredPorts[],
): readonly string[] {
  const others = declared.filter(
    (one) => one.ports.length > 0 && !ports.some((port) => one.ports.includes(port)),
  );
  const [first] = others;
  if (first === undefined) return [];
  const more = others.length === 1 ? '' : ` (${others.length} such pods)`;
  return [
    `${setting} is ${ports.join(', ')}, but pod ${first.pod}${more} declares ${first.ports.join(', ')} and ` +
      'no pod or service declares that port; a fault on an unused port has no effect',
  ];
}

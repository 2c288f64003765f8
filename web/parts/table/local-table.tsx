import { type ReactElement, useState } from 'react';
import type { Order } from '../../models/table/order.ts';
import { DataTable } from './data-table.tsx';

/** A table beside others in a view; its order is not in the link. */
export function LocalTable<Row>(
  table: Omit<Parameters<typeof DataTable<Row>>[0], 'order' | 'onOrder'>,
): ReactElement {
  const [order, onOrder] = useState<Order>();
  return <DataTable {...table} order={order} onOrder={onOrder} />;
}

import type { ReactElement, ReactNode } from 'react';
import { type OperationName, rolesFor, whoMay } from '../models/access/may.ts';
import { Notice } from '../parts/panel/panel.tsx';
import { StateView } from './state-view.tsx';
import { useRole } from './use-permissions.ts';

/** A view for readers who may call an operation; others see who may. */
export function RequirePermission({
  project,
  operation,
  heading,
  todo,
  children,
}: {
  readonly project: string;
  readonly operation: OperationName;
  /** Heading if the view is not shown. */
  readonly heading: string;
  /** What the operation does, as a verb: "make experiments". */
  readonly todo: string;
  readonly children: ReactNode;
}): ReactElement {
  const view = useRole(project);
  return (
    <StateView view={view} heading={heading} what="your role">
      {({ role }) =>
        rolesFor(operation).includes(role) ? (
          children
        ) : (
          <>
            <h1>{heading}</h1>
            <Notice
              title={`Your role may not ${todo}`}
              text={`You are ${role} in this project. ${whoMay(operation)} may; ask one for another role.`}
            />
          </>
        )
      }
    </StateView>
  );
}

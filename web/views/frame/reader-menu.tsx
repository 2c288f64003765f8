import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ROUTES, settingsPath } from '../../address/routes.ts';
import { callRest } from '../../api/client.ts';
import { THEMES } from '../../models/theme/theme.ts';
import { Menu } from '../../parts/menu/menu.tsx';
import { chooseTheme, useTheme } from '../../parts/theme/theme.ts';
import { KeysDialog } from '../keys/keys-dialog.tsx';
import { useKey } from '../keys/use-key.ts';

/** The reader's menu: colours, keys, account, sign-out. */
export function ReaderMenu({ project }: { readonly project: string | undefined }): ReactElement {
  const theme = useTheme();
  const [hasKeys, setKeys] = useState(false);
  useKey('?', 'this list', () => setKeys(true));
  return (
    <>
      <Menu label="Menu">
        {(close) => (
          <>
            <fieldset>
              <legend>Colours</legend>
              {THEMES.map(([value, words]) => (
                <label key={value}>
                  <input
                    type="radio"
                    name="theme"
                    checked={theme === value}
                    onChange={() => chooseTheme(value)}
                  />
                  {words}
                </label>
              ))}
            </fieldset>
            <hr />
            <button
              type="button"
              onClick={() => {
                close();
                setKeys(true);
              }}
            >
              Keys<kbd>?</kbd>
            </button>
            {project === undefined ? null : (
              <>
                <Link href={settingsPath(project, 'account')} onClick={close}>
                  Your account
                </Link>
                <SignOut />
              </>
            )}
          </>
        )}
      </Menu>
      {hasKeys ? <KeysDialog onClose={() => setKeys(false)} /> : null}
    </>
  );
}

function SignOut(): ReactElement {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => callRest('/logout', {}),
    onSuccess: () => {
      queries.clear();
      navigate(ROUTES.signIn);
    },
  });
  return (
    <button type="button" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
      Sign out
    </button>
  );
}

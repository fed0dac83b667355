import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { connection } from '../api/connection.ts';
import { queryClient } from '../api/query-client.ts';
import { sessionQuery, useSession, useSessionEnded } from '../api/session.ts';
import { type Credentials, leaveForSignIn, signIn } from '../features/auth/auth-calls.ts';
import { SignInForm } from '../features/auth/SignInForm.tsx';
import { Dialog } from '../ui/Dialog.tsx';

/** One signs in again over the page, so that a half-filled form is not lost. */
export default function SessionEndedDialog() {
  const { t } = useLingui();
  const user = useSession();
  const goOn = () => {
    useSessionEnded.setState({ hasEnded: false });
    // The event stream ended with the session.
    connection.suspect();
  };
  return (
    <Dialog title={t`Your session has ended`} onClose={leaveForSignIn} size={400}>
      <Stack gap="md">
        <p>
          <Trans>Sign in again to go on where you were.</Trans>
        </p>
        <SignInForm userName={user.name} signIn={signInAgain} onSignedIn={goOn} />
        <Button variant="subtle" onClick={leaveForSignIn}>
          <Trans>Leave this page</Trans>
        </Button>
      </Stack>
    </Dialog>
  );
}

/** The same person goes on where the page is; another one must see nothing of it. */
async function signInAgain(credentials: Credentials): Promise<void> {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  await signIn(credentials);
  if (before?.user.name !== credentials.id) location.reload();
  else await queryClient.invalidateQueries();
}

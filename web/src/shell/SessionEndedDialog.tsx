import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack } from '@mantine/core';
import { useNavigate } from 'react-router-dom';
import { connection } from '../api/connection.ts';
import { useSession, useSessionEnded } from '../api/session.ts';
import { signInAgain } from '../features/auth/auth-calls.ts';
import { SignInForm } from '../features/auth/SignInForm.tsx';
import { paths } from '../paths.ts';
import { Dialog } from '../ui/Dialog.tsx';

/** One signs in again over the page, so that a half-filled form is not lost. */
export default function SessionEndedDialog() {
  const { t } = useLingui();
  const user = useSession();
  const navigate = useNavigate();
  const goOn = () => {
    useSessionEnded.setState({ hasEnded: false });
    // The event stream ended with the session.
    connection.suspect();
  };
  const leave = () => {
    useSessionEnded.setState({ hasEnded: false });
    void navigate(paths.signIn);
  };
  return (
    <Dialog title={t`Your session has ended`} onClose={leave} size={400}>
      <Stack gap="md">
        <p>
          <Trans>Sign in again to go on where you were.</Trans>
        </p>
        <SignInForm userName={user.name} signIn={signInAgain} onSignedIn={goOn} />
        <Button variant="subtle" onClick={leave}>
          <Trans>Leave this page</Trans>
        </Button>
      </Stack>
    </Dialog>
  );
}

import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { EndReason } from '../../../../daemon/contract/auth.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { connection } from '../../api/connection.ts';
import { useSession } from '../../api/session.ts';
import { sessionGoesOn, useSessionEnded } from '../../api/session-end.ts';
import { SignInForm } from '../../features/auth/SignInForm.tsx';
import { type Credentials, leaveForSignIn, signIn } from '../../shared/password/auth-calls.ts';
import { Curtain } from '../../ui/overlay/Curtain.tsx';

/** The user signs in again over the page, so that a half-filled form is not lost. */
export default function SessionEndedDialog() {
  const { name } = useSession();
  const reason = useSessionEnded((state) => state.reason);
  const signInAgain = async (credentials: Credentials) => {
    const user = await signIn(credentials);
    if (user.name !== name) await startAgain();
  };
  return (
    <Curtain titleId="session-ended-title">
      <IconLock size={30} stroke={1.4} aria-hidden />
      <h2 id="session-ended-title">
        <Trans>Your session has ended</Trans>
      </h2>
      <p>
        <ReasonText reason={reason} />
      </p>
      {reason !== 'userDeleted' && (
        <p>
          <Trans>Sign in again to continue where you left off.</Trans>
        </p>
      )}
      <SignInForm userName={reason === 'userDeleted' ? '' : name} signIn={signInAgain} onSignedIn={goOn} />
      <Button variant="subtle" onClick={leaveForSignIn}>
        <Trans>Leave this page</Trans>
      </Button>
    </Curtain>
  );
}

/** The event stream ended with the session; when it resumes, all shown data is refetched. */
function goOn() {
  sessionGoesOn();
  connection.suspect();
}

/** Another user must not see anything of the page, not even until it is reloaded. */
function startAgain(): Promise<never> {
  location.reload();
  return new Promise(() => {});
}

const days = limits.sessionDays;

function ReasonText({ reason }: { reason: EndReason | undefined }) {
  switch (reason) {
    case 'expired':
      return <Trans>You were inactive for longer than the settings allow.</Trans>;
    case 'tooOld':
      return <Trans>Sessions end after {days} days, even when they are in use.</Trans>;
    case 'passwordChanged':
      return <Trans>You changed your password in another session. Sign in with the new one.</Trans>;
    case 'passwordReset':
      return <Trans>An administrator has given you a new password.</Trans>;
    case 'rightsChanged':
      return <Trans>An administrator has changed your permissions.</Trans>;
    case 'userDeleted':
      return <Trans>An administrator has deleted this user.</Trans>;
    case 'endedElsewhere':
      return <Trans>You ended this session from another one.</Trans>;
    case 'tooMany':
      return <Trans>You had too many sessions. The least recently used one was ended.</Trans>;
    case 'signedOut':
    case undefined:
      return <Trans>You are no longer signed in.</Trans>;
  }
}

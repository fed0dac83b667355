import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { EndReason } from '../../../daemon/contract/auth.ts';
import { limits } from '../../../daemon/contract/limits.ts';
import { connection } from '../api/connection.ts';
import { useSession } from '../api/session.ts';
import { sessionGoesOn, useSessionEnded } from '../api/session-end.ts';
import { type Credentials, leaveForSignIn, signIn } from '../features/auth/auth-calls.ts';
import { SignInForm } from '../features/auth/SignInForm.tsx';
import { Curtain } from '../ui/Curtain.tsx';

/** One signs in again over the page, so that a half-filled form is not lost. */
export default function SessionEndedDialog() {
  const { name } = useSession();
  const reason = useSessionEnded((state) => state.reason);
  const signInAgain = async (credentials: Credentials) => {
    const user = await signIn(credentials);
    if (user.name !== name) await startAnew();
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
          <Trans>Sign in again to go on where you were.</Trans>
        </p>
      )}
      <SignInForm userName={reason === 'userDeleted' ? '' : name} signIn={signInAgain} onSignedIn={goOn} />
      <Button variant="subtle" onClick={leaveForSignIn}>
        <Trans>Leave this page</Trans>
      </Button>
    </Curtain>
  );
}

/** The event stream ended with the session; when it comes back, everything that is shown is asked for again. */
function goOn() {
  sessionGoesOn();
  connection.suspect();
}

/** Somebody else must see nothing of the page, not even until it is gone. */
function startAnew(): Promise<never> {
  location.reload();
  return new Promise(() => {});
}

const days = limits.sessionDays;

function ReasonText({ reason }: { reason: EndReason | undefined }) {
  switch (reason) {
    case 'expired':
      return <Trans>Nothing was done here for as long as the settings allow.</Trans>;
    case 'tooOld':
      return <Trans>A session ends after {days} days, however much it is used.</Trans>;
    case 'passwordChanged':
      return <Trans>You have changed your password elsewhere; the new one is needed here.</Trans>;
    case 'passwordReset':
      return <Trans>An administrator has given you a new password.</Trans>;
    case 'rightsChanged':
      return <Trans>An administrator has changed what you may do.</Trans>;
    case 'userDeleted':
      return <Trans>An administrator has deleted this user.</Trans>;
    case 'endedElsewhere':
      return <Trans>You have ended it from another session of yours.</Trans>;
    case 'tooMany':
      return <Trans>You are signed in at too many places; the one unused for longest was ended.</Trans>;
    case 'signedOut':
    case undefined:
      return <Trans>You are no longer signed in.</Trans>;
  }
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { paths, safeReturnPath } from '../../lib/paths.ts';
import { type Credentials, signIn } from '../../shared/password/auth-calls.ts';
import { AuthFrame } from './AuthFrame.tsx';
import { SignInForm } from './SignInForm.tsx';
import { useSetupState } from './useSetupState.ts';

async function enter(credentials: Credentials): Promise<void> {
  await signIn(credentials);
}

export default function SignInPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const state = useSetupState();
  if (state?.needed) return <Navigate to={paths.setup} replace />;
  const goOn = () => navigate(safeReturnPath(query.get('return_url')), { replace: true });
  return (
    <AuthFrame
      title={state?.name ? t`Sign in to ${state.name}` : t`Sign in`}
      intro={<Trans>Manage the channels, inputs and outputs of this hub</Trans>}
    >
      <SignInForm userName="" signIn={enter} onSignedIn={goOn} />
    </AuthFrame>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import { paths, safeReturnPath } from '../../paths.ts';
import { AuthFrame } from './AuthFrame.tsx';
import { forgetSession, setupStateQuery, signIn } from './auth-calls.ts';
import { SignInForm } from './SignInForm.tsx';

export default function SignInPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const isSetupNeeded = useQuery(setupStateQuery).data;
  useEffect(() => {
    forgetSession();
  }, []);
  if (isSetupNeeded === true) return <Navigate to={paths.setup} replace />;
  const goOn = () => navigate(safeReturnPath(query.get('return_url')), { replace: true });
  return (
    <AuthFrame title={t`Sign in`} intro={<Trans>This hub relays live video. Sign in to see and steer it.</Trans>}>
      <SignInForm userName="" signIn={signIn} onSignedIn={goOn} />
    </AuthFrame>
  );
}

import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { markInside } from '../../api/session-end.ts';
import { faultOf } from '../../lib/call-error.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { paths, signInPath } from '../../lib/paths.ts';
import { useConfirm } from '../../ui/overlay/confirm.ts';
import { Shell } from '../frame/Shell.tsx';

/** Dialogs are not part of the first load. */
const ConfirmDialog = deferredPart(() => import('../../ui/overlay/ConfirmDialog.tsx'));

/** Renders its routes only for signed-in users. */
export default function SessionGuard() {
  const question = useConfirm((state) => state.open);
  return (
    <QueryClientProvider client={queryClient}>
      <Guarded />
      {question && <ConfirmDialog question={question} />}
    </QueryClientProvider>
  );
}

function Guarded() {
  const { pathname, search } = useLocation();
  const { data, error } = useQuery(sessionQuery);
  const isInside = data !== undefined;
  useEffect(() => {
    markInside(isInside);
    return () => markInside(false);
  }, [isInside]);
  if (data !== undefined) return <Shell />;
  switch (faultOf(error)) {
    case 'notInitialized':
      return <Navigate to={paths.setup} replace />;
    case 'notLoggedIn':
    case 'notPermitted':
      return <Navigate to={signInPath(`${pathname}${search}`)} replace />;
    default:
      // Still loading, or the hub is unreachable, which the overlay shows.
      return null;
  }
}

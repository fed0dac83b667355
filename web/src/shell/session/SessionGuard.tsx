import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery } from '../../api/session.ts';
import { markInside } from '../../api/session-end.ts';
import { faultOf } from '../../lib/call-error.ts';
import { paths, signInPath } from '../../lib/paths.ts';
import { ConfirmHost } from '../../ui/overlay/ConfirmHost.tsx';
import { Shell } from '../frame/Shell.tsx';

/** Renders its routes only for signed-in users. */
export default function SessionGuard() {
  return (
    <QueryClientProvider client={queryClient}>
      <Guarded />
      <ConfirmHost />
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

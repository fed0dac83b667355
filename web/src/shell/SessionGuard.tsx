import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { queryClient } from '../api/query-client.ts';
import { faultOf } from '../api/result.ts';
import { sessionQuery } from '../api/session.ts';
import { markInside } from '../api/session-end.ts';
import { paths, signInPath } from '../paths.ts';
import { ConfirmHost } from '../ui/ConfirmHost.tsx';
import { Shell } from './Shell.tsx';

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

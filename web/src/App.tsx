import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router-dom';
import { fetchInside } from './first-load.ts';
import { addTexts } from './i18n/i18n.ts';
import { loadPart } from './lib/lazy-part.tsx';
import { paths } from './lib/paths.ts';
import { pageRoutes, SetupPage, SignInPage } from './routes.tsx';
import { ConnectionOverlay } from './shell/connection/ConnectionOverlay.tsx';
import { LeaveGuard } from './shell/frame/LeaveGuard.tsx';
import { PageRoutes } from './shell/frame/page-routes.ts';
import { RootBoundary } from './shell/frame/RootBoundary.tsx';
import { ToastList } from './ui/feedback/ToastList.tsx';

/** Kept out of the sign-in page's bundle. */
const loadInside = () => loadPart(fetchInside);
const SessionGuard = lazy(async () => {
  const [inside] = await Promise.all([loadInside(), addTexts('inside')]);
  return { default: inside.SessionGuard };
});
const PageFrame = lazy(async () => ({ default: (await loadInside()).PageFrame }));

export function App() {
  return (
    <RootBoundary>
      <LeaveGuard>
        <Suspense fallback={null}>
          <Routes>
            <Route path={paths.signIn} element={<SignInPage />} />
            <Route path={paths.setup} element={<SetupPage />} />
            <Route
              element={
                <PageRoutes value={pageRoutes}>
                  <SessionGuard />
                </PageRoutes>
              }
            >
              <Route index element={<Navigate to={paths.dashboard} replace />} />
              {pageRoutes.map((route) => (
                <Route key={route.path} path={route.path} element={<PageFrame route={route} />} />
              ))}
              <Route path="*" element={<PageFrame route={undefined} />} />
            </Route>
          </Routes>
        </Suspense>
        <ToastList />
      </LeaveGuard>
      <ConnectionOverlay />
    </RootBoundary>
  );
}

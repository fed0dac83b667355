import { useLingui } from '@lingui/react/macro';
import { Suspense } from 'react';
import { meets } from '../../../../daemon/contract/variant.ts';
import { useMay, useVariant } from '../../api/session.ts';
import { asPage } from '../../lib/first-page.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { PageSkeleton } from '../../ui/layout/Skeleton.tsx';
import { PageBoundary } from './PageBoundary.tsx';
import type { PageRoute } from './page-routes.ts';

const NotFoundPage = deferredPart(asPage(() => import('../../shared/page/NotFoundPage.tsx')));
const NoAccess = deferredPart(asPage(() => import('./NoAccess.tsx')));

/** One page of the route table; undefined for an unknown address. */
export default function PageFrame({ route }: { route: PageRoute | undefined }) {
  const variant = useVariant();
  return route !== undefined && meets(variant, route.needs) ? <FramedPage route={route} /> : <NotFoundPage />;
}

/** Handles permission, loading and faults of a page. */
function FramedPage({ route }: { route: PageRoute }) {
  const { i18n } = useLingui();
  const may = useMay(route.scope);
  const header = <PageHeader title={i18n._(route.title)} />;
  if (!may) {
    return (
      <>
        {header}
        <NoAccess />
      </>
    );
  }
  const Page = route.page;
  return (
    <PageBoundary key={route.path} header={header}>
      <Suspense fallback={<PageSkeleton of={route.skeleton ?? 'tiles'} />}>
        <Page />
      </Suspense>
    </PageBoundary>
  );
}

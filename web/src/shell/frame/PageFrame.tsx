import { Trans, useLingui } from '@lingui/react/macro';
import { IconLock } from '@tabler/icons-react';
import { Suspense } from 'react';
import { meets } from '../../../../daemon/contract/variant.ts';
import { useMay, useVariant } from '../../api/session.ts';
import { NotFoundPage } from '../../shared/page/NotFoundPage.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { PageSkeleton } from '../../ui/layout/Skeleton.tsx';
import { PageBoundary } from './PageBoundary.tsx';
import type { PageRoute } from './page-routes.ts';

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
        <EmptyState icon={IconLock} title={<Trans>No access permission</Trans>}>
          <Trans>You do not have permission to view this page. Ask an administrator for access.</Trans>
        </EmptyState>
      </>
    );
  }
  const Page = route.page;
  return (
    <PageBoundary key={route.path} header={header}>
      <Suspense fallback={<PageSkeleton />}>
        <Page />
      </Suspense>
    </PageBoundary>
  );
}

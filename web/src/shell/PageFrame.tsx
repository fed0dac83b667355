import { Trans, useLingui } from '@lingui/react/macro';
import { IconLock } from '@tabler/icons-react';
import { Suspense } from 'react';
import { meets } from '../../../daemon/contract/variant.ts';
import { useMay, useVariant } from '../api/session.ts';
import type { PageRoute } from '../routes.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageSkeleton } from '../ui/Skeleton.tsx';
import { NotFoundPage } from './NotFoundPage.tsx';
import { PageBoundary } from './PageBoundary.tsx';
import { PageHeader } from './PageHeader.tsx';

/** One page of the table: its permission, its loading and its faults. */
export function PageFrame({ route }: { route: PageRoute }) {
  const { i18n } = useLingui();
  const may = useMay(route.scope);
  const header = <PageHeader title={i18n._(route.title)} />;
  const isThere = meets(useVariant(), route.needs);
  if (!isThere) return <NotFoundPage />;
  if (!may) {
    return (
      <>
        {header}
        <EmptyState icon={IconLock} title={<Trans>No access permission</Trans>}>
          <Trans>Your account may not see this page. An administrator can change that.</Trans>
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

import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconMapPinOff } from '@tabler/icons-react';
import { Link } from 'react-router-dom';
import { paths } from '../../lib/paths.ts';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { PageHeader } from './PageHeader.tsx';

export default function NotFoundPage() {
  const { t } = useLingui();
  return (
    <>
      <PageHeader title={t`Page not found`} />
      <EmptyState
        icon={IconMapPinOff}
        title={<Trans>This page does not exist.</Trans>}
        action={
          <Button component={Link} to={paths.dashboard} variant="default">
            <Trans>Go to the dashboard</Trans>
          </Button>
        }
      />
    </>
  );
}

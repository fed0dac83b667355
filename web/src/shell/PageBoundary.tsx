import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { CallError } from '../api/result.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FaultText } from '../ui/FaultText.tsx';

interface Props {
  /** Stands above what is said in place of the page. */
  readonly header: ReactNode;
  readonly children: ReactNode;
}

/** A page that fails leaves the menu usable. A class, because hooks can't catch. */
export class PageBoundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        {this.props.header}
        <EmptyState
          icon={IconAlertTriangle}
          title={<Trans>This page could not be shown</Trans>}
          action={
            <Button variant="default" onClick={() => this.setState({ error: undefined })}>
              <Trans>Try again</Trans>
            </Button>
          }
        >
          {error instanceof CallError ? <FaultText error={error} /> : <code>{String(error)}</code>}
        </EmptyState>
      </>
    );
  }
}

import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { connection } from '../../api/connection.ts';
import { queryClient } from '../../api/query-client.ts';
import { CallError } from '../../lib/call-error.ts';
import { MissingPart } from '../../lib/lazy-part.tsx';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';

interface Props {
  /** Shown above the error that replaces the page. */
  readonly header: ReactNode;
  readonly children: ReactNode;
}

/** Keeps the menu usable if a page fails. A class, because hooks cannot catch errors. */
export class PageBoundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  /** Removes failed queries first: a query that has only an error would throw it again without refetching. */
  readonly #tryAgain = () => {
    if (this.state.error instanceof MissingPart) location.reload();
    queryClient.removeQueries({ predicate: ({ state }) => state.status === 'error' && state.data === undefined });
    this.setState({ error: undefined });
  };
  #stop = () => {};

  /** Retries failures caused by a missing hub or session when they are back. */
  override componentDidMount() {
    this.#stop = connection.onRecovered(this.#tryAgain);
  }

  override componentWillUnmount() {
    this.#stop();
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
            <Button variant="default" onClick={this.#tryAgain}>
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

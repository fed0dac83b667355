import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { connection } from '../api/connection.ts';
import { queryClient } from '../api/query-client.ts';
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

  /** What failed is forgotten first: a query that has nothing but a fault throws it again without being asked anew. */
  readonly #tryAgain = () => {
    queryClient.removeQueries({ predicate: ({ state }) => state.status === 'error' && state.data === undefined });
    this.setState({ error: undefined });
  };
  #stop = () => {};

  /** What failed for want of the hub or of a session is asked for again when they are back. */
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

import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import styles from './RootBoundary.module.css';

interface Props {
  readonly children: ReactNode;
}

/** The last resort: a fault of the console itself must not leave an empty page. A class, because hooks can't catch. */
export class RootBoundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const text = this.state.error instanceof Error ? this.state.error.message : String(this.state.error);
    return (
      <main className={styles.page}>
        <h1>
          <Trans>This page has a fault</Trans>
        </h1>
        <p>
          <Trans>The streams are not affected. Load the page again; if the fault stays, report this line:</Trans>
        </p>
        <code className={styles.code}>{text}</code>
        <Button onClick={() => location.reload()}>
          <Trans>Load again</Trans>
        </Button>
      </main>
    );
  }
}

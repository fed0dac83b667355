import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import styles from './RootBoundary.module.css';

interface Props {
  readonly children: ReactNode;
}

/** Last resort: an error in the console must not leave an empty page. A class, because hooks cannot catch errors. */
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
          <Trans>Something went wrong on this page</Trans>
        </h1>
        <p>
          <Trans>The streams are not affected. Reload the page. If the error persists, report this line:</Trans>
        </p>
        <code className={styles.code}>{text}</code>
        <Button onClick={() => location.reload()}>
          <Trans>Reload</Trans>
        </Button>
      </main>
    );
  }
}

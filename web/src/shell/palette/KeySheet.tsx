import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { areSingleKeysOn } from '../../ui/overlay/single-keys.ts';
import styles from './KeySheet.module.css';
import { paletteKeys } from './usePaletteKey.ts';

/** All keyboard shortcuts, and whether single-key shortcuts are enabled. */
export default function KeySheet({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const isOn = areSingleKeysOn();
  return (
    <Dialog title={t`Keyboard`} onClose={onClose} size={460}>
      <h3 className={styles.title}>
        <Trans>On every page</Trans>
      </h3>
      <dl className={styles.keys}>
        <Key keys={paletteKeys}>
          <Trans>Go to a page, channel, input or output</Trans>
        </Key>
        <Key keys={['Esc']}>
          <Trans>Close a dialog or menu</Trans>
        </Key>
        <Key keys={['↑', '↓']}>
          <Trans>Move in a menu or list of choices</Trans>
        </Key>
      </dl>
      <h3 className={styles.title}>
        <Trans>Single keys</Trans>
      </h3>
      {!isOn && (
        <Banner tone="info" title={<Trans>Single keys are switched off</Trans>}>
          <Trans>These are disabled in this browser. You can enable them on the profile page.</Trans>
        </Banner>
      )}
      <dl className={styles.keys} data-off={!isOn}>
        <Key keys={['/']}>
          <Trans>Search the list</Trans>
        </Key>
        <Key keys={['?']}>
          <Trans>Show these keys</Trans>
        </Key>
      </dl>
    </Dialog>
  );
}

function Key({ keys, children }: { keys: readonly string[]; children: ReactNode }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

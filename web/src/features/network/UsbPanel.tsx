import { Trans } from '@lingui/react/macro';
import { IconUsb } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useFormat } from '../../i18n/useFormat.ts';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './WifiPanel.module.css';
import { wifiQuery } from './wifi-calls.ts';
import { usbLooks } from './wifi-look.ts';

/** Modems, phones and adapters on USB, which appear by themselves. */
export function UsbPanel() {
  const { comma } = useFormat();
  const { usb } = useSuspenseQuery(wifiQuery).data;
  return (
    <Panel title={<Trans>USB network</Trans>} isFlush>
      {usb.length === 0 ? (
        <p className={`${styles.body} ${styles.hint}`}>
          <Trans>
            Nothing is connected. A modem, a phone that shares its connection, or an adapter appears here and gets its
            addresses by DHCP.
          </Trans>
        </p>
      ) : (
        <ul>
          {usb.map(({ interface: name, state, driver, addresses }) => (
            <li key={name} className={styles.row}>
              <IconUsb className={styles.signal} size={20} stroke={1.7} aria-hidden />
              <div className={styles.what}>
                <span className={styles.name}>{name}</span>
                <span className={styles.detail}>{[...addresses, driver].filter(Boolean).join(comma) || '–'}</span>
              </div>
              <LookMark look={usbLooks[state]} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

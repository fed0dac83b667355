import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import type { DeviceApi } from '../../../../../daemon/contract/device-catalog.ts';
import { StateMark } from '../../../ui/data/StateMark.tsx';
import { FormFault } from '../../../ui/feedback/FormFault.tsx';
import { outcomeText } from '../add-each.ts';
import styles from './FindDevices.module.css';
import type { DeviceSearch, FoundRow } from './useDeviceSearch.ts';

/** Products that speak each API, for devices that do not state their model to strangers. */
const products: Readonly<Record<DeviceApi, string>> = {
  usapi: 'Ultra Encode, Ultra Stream',
  mwapi: 'Pro Convert',
  apiPath: 'Pro Convert IP, Audio',
  mwapiPath: 'USB Fusion',
  v1: 'Director',
  onvif: 'ONVIF',
  stream: '',
};

interface FoundDeviceProps {
  readonly row: FoundRow;
  readonly search: DeviceSearch;
  /** Whether it can be added. */
  readonly isOpen: boolean;
}

export function FoundDevice({ row, search, isOpen }: FoundDeviceProps) {
  const { t, i18n } = useLingui();
  const { host, address, title, name, model, maker, api, sn, outcome } = row;
  const isAdded = row.added || outcome?.isAdded === true;
  const place = address.replace(/^http:\/\//, '');
  const kind = [maker, model ?? (api && products[api]), sn].filter((text) => text !== undefined && text !== title);
  const label = name === undefined && model === undefined ? place : title;
  const facts = (
    <span className={styles.facts}>
      <span className={styles.name} translate="no">
        {label}
      </span>
      {kind.length > 0 && (
        <span className={styles.quiet} translate="no">
          {kind.join(' · ')}
        </span>
      )}
      {label !== place && (
        <span className={styles.address} translate="no">
          {place}
        </span>
      )}
    </span>
  );
  return (
    <li className={styles.device}>
      <div className={styles.head}>
        {api === undefined ? (
          facts
        ) : (
          <Checkbox
            className={styles.choice}
            classNames={{ body: styles.body, labelWrapper: styles.wrapper }}
            label={facts}
            checked={isOpen && search.chosen.has(host)}
            disabled={!isOpen}
            onChange={({ currentTarget }) => search.choose([host], currentTarget.checked)}
          />
        )}
        {isAdded && (
          <StateMark tone="live" icon={IconCircleCheck}>
            {row.added ? <Trans>Already added</Trans> : <Trans>Added</Trans>}
          </StateMark>
        )}
      </div>
      {outcome !== undefined && !outcome.isAdded && (
        <div className={styles.outcome}>
          <FormFault>{outcomeText(i18n, outcome)}</FormFault>
          {outcome.problem === 'certificateUnknown' && outcome.pin !== undefined && (
            <Checkbox
              label={t`Trust its certificate`}
              description={<code className={styles.pin}>{outcome.pin}</code>}
              checked={search.trusted.has(host)}
              onChange={({ currentTarget }) => search.trust(host, currentTarget.checked)}
            />
          )}
        </div>
      )}
    </li>
  );
}

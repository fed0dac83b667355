import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { numberOf } from '../../ui/form/schema-form.ts';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

const { max, default: usual } = limits.upgrade.rate;
const noLimit = 0;

/** How much of the network the firmware of devices may take. */
export function UpgradeRateSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    settings,
    group: 'upgrade-rate',
    valuesOf,
    toChange: (values) => ({ 'upgrade-rate': values.isUnlimited ? noLimit : numberOf(values.mbps) }),
    paths: { isUnlimited: '', mbps: 'upgrade-rate' },
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Firmware upgrades of devices</Trans>}
      intro={
        <Trans>All devices together get firmware no faster than this, so that streams keep their bandwidth.</Trans>
      }
    >
      <Checkbox label={t`No limit`} {...form.getInputProps('isUnlimited', { type: 'checkbox' })} />
      {!form.values.isUnlimited && (
        <div className={styles.halves}>
          <TextInput
            label={t`Total rate, 1 to ${max}`}
            inputMode="numeric"
            rightSection="Mb/s"
            rightSectionWidth={64}
            {...form.getInputProps('mbps')}
          />
        </div>
      )}
    </SettingsGroup>
  );
}

function valuesOf({ 'upgrade-rate': mbps }: Settings) {
  return { isUnlimited: mbps === noLimit, mbps: String(mbps === noLimit ? usual : mbps) };
}

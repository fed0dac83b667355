import { Trans, useLingui } from '@lingui/react/macro';
import { Button, SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { chooseLocale, type Locale, locales } from '../../i18n/i18n.ts';
import { schemeNames, schemes } from '../../shared/page/scheme-names.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { keySheetName, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { areSingleKeysOn, switchSingleKeys } from '../../ui/overlay/single-keys.ts';
import styles from './BrowserPanel.module.css';

/** Preferences stored in this browser; each takes effect immediately. */
export function BrowserPanel() {
  return (
    <Panel title={<Trans>In this browser</Trans>} isFlush>
      <LanguageChoice />
      <SchemeChoice />
      <SingleKeys />
    </Panel>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly hint?: ReactNode;
  readonly children: (nameId: string) => ReactNode;
}

function Choice({ name, hint, children }: ChoiceProps) {
  const id = useId();
  return (
    <div className={styles.choice}>
      <div>
        <div id={id} className={styles.name}>
          {name}
        </div>
        {hint !== undefined && <div className={styles.hint}>{hint}</div>}
      </div>
      {children(id)}
    </div>
  );
}

function LanguageChoice() {
  const { i18n, t } = useLingui();
  return (
    <Choice name={t`Language`}>
      {(id) => (
        <SegmentedControl
          aria-labelledby={id}
          data={(Object.keys(locales) as Locale[]).map((value) => ({ value, label: locales[value] }))}
          value={i18n.locale}
          onChange={(locale) => void chooseLocale(locale as Locale)}
        />
      )}
    </Choice>
  );
}

function SchemeChoice() {
  const { i18n, t } = useLingui();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Choice name={t`Appearance`}>
      {(id) => (
        <SegmentedControl
          aria-labelledby={id}
          data={schemes.map((value) => ({ value, label: i18n._(schemeNames[value]) }))}
          value={colorScheme}
          onChange={setColorScheme}
        />
      )}
    </Choice>
  );
}

function SingleKeys() {
  const { t } = useLingui();
  const dialog = useDialogAddress();
  const [isOn, setOn] = useState(areSingleKeysOn);
  return (
    <Choice
      name={t`Single-key shortcuts`}
      hint={<Trans>When off, dictation or a stray key cannot trigger an action.</Trans>}
    >
      {(id) => (
        <div className={styles.keys}>
          <Button size="xs" variant="default" onClick={() => dialog.open(keySheetName)}>
            <Trans>All keys</Trans>
          </Button>
          <Switch
            aria-labelledby={id}
            checked={isOn}
            onChange={({ currentTarget: { checked } }) => {
              switchSingleKeys(checked);
              setOn(areSingleKeysOn());
            }}
          />
        </div>
      )}
    </Choice>
  );
}

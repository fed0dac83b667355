import { Trans, useLingui } from '@lingui/react/macro';
import { Button, SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { isViewOnly } from '../../../../daemon/contract/permission.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { chooseLocale, type Locale, locales } from '../../i18n/i18n.ts';
import { faultText } from '../../i18n/result-text.ts';
import { schemeNames, schemes } from '../../shared/page/scheme-names.ts';
import { staySignedIn } from '../../shared/users/user-calls.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
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
      <StaySignedIn />
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

/** For wall displays: the session does not end from inactivity. */
function StaySignedIn() {
  const { t, i18n } = useLingui();
  const { permission } = useSession();
  const { stays } = useSuspenseQuery(sessionQuery).data;
  const may = isViewOnly(permission);
  const choose = useMutation({
    mutationFn: (stay: boolean) => staySignedIn({ stay }),
    onError: (error) => showToast('error', faultText(i18n, error)),
  });
  const hint = may ? (
    <Trans>For a wall display: this session does not end from inactivity. It ends after 90 days.</Trans>
  ) : (
    <Trans>Only for users who may view and not change anything: anyone could use an unattended screen.</Trans>
  );
  return (
    <Choice name={t`Stay signed in on this screen`} hint={hint}>
      {(id) => (
        <Switch
          aria-labelledby={id}
          checked={choose.isPending ? choose.variables : stays}
          disabled={!may && !stays}
          onChange={({ currentTarget: { checked } }) => choose.mutate(checked)}
        />
      )}
    </Choice>
  );
}

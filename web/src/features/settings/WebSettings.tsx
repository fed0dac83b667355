import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Banner } from '../../ui/Banner.tsx';
import { confirm } from '../../ui/confirm.ts';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { numberOf, type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

interface Values {
  readonly http: string;
  readonly isHttps: boolean;
  readonly https: string;
}

export function WebSettings({ settings: { web } }: SettingsProps) {
  const { t } = useLingui();
  const [moved, setMoved] = useState<string>();
  const group = useSettingsGroup<Values>({
    initial: { http: String(web['http-port']), isHttps: web['enable-https'], https: String(web['https-port']) },
    toChange: ({ http, isHttps, https }) => ({
      web: {
        'http-port': numberOf(http),
        'enable-https': isHttps,
        ...(isHttps && { 'https-port': numberOf(https) }),
      },
    }),
    paths: { http: 'web.http-port', isHttps: 'web.enable-https', https: 'web.https-port' },
    onSaved: (values) => setMoved(newAddress(values)),
  });
  const { form, save } = group;
  const submit = (values: Values) => {
    const next = newAddress(values);
    if (next === undefined) return save.mutate(values);
    confirm({
      title: t`Move this console to another address?`,
      consequence: t`This page can't follow by itself. From then on it is found at ${next}.`,
      verb: t`Change the port`,
      run: async () => {
        await save.mutateAsync(values);
      },
    });
  };
  return (
    <SettingsGroup
      group={group}
      onSubmit={submit}
      title={<Trans>Web access</Trans>}
      intro={<Trans>Ports of this console and of the API.</Trans>}
    >
      {moved !== undefined && (
        <Banner tone="info" title={<Trans>The console has moved</Trans>}>
          <a href={moved}>{moved}</a>
        </Banner>
      )}
      <TextInput label={t`HTTP port`} inputMode="numeric" {...form.getInputProps('http')} />
      <Checkbox label={t`Also over HTTPS`} {...form.getInputProps('isHttps', { type: 'checkbox' })} />
      {form.values.isHttps && (
        <div className={styles.fields}>
          <TextInput label={t`HTTPS port`} inputMode="numeric" {...form.getInputProps('https')} />
          {!web['is-cert-valid'] && (
            <Banner tone="warn" title={<Trans>No certificate of your own is installed</Trans>}>
              <Trans>Browsers will warn of the hub's own one.</Trans>
            </Banner>
          )}
        </div>
      )}
    </SettingsGroup>
  );
}

/** Where this page will be found after saving; undefined when it stays. */
function newAddress({ http, https }: Values): string | undefined {
  const isSecure = location.protocol === 'https:';
  const port = isSecure ? https : http;
  const present = location.port === '' ? (isSecure ? '443' : '80') : location.port;
  // The development server stands between: its port says nothing about the hub's.
  if (port === present || import.meta.env.DEV) return undefined;
  return `${location.protocol}//${location.hostname}:${port}/`;
}

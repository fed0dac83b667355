import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import type { SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { paths } from '../../lib/paths.ts';
import { RiskDialog } from '../../shared/confirmed-change/lazy-risk-dialog.ts';
import type { Risk } from '../../shared/confirmed-change/risk.ts';
import { consoleAddresses, consoleMove, type WebPorts } from '../../shared/system/console-move.ts';
import { UnconfirmedMove } from '../../shared/system/UnconfirmedMove.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { numberOf } from '../../ui/form/schema-form.ts';
import styles from './GeneralSettingsPage.module.css';
import { HttpsOnlyBanner, HttpsOnlyFields, type WebValues } from './HttpsOnly.tsx';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function WebSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const [asked, setAsked] = useState<WebValues>();
  const within = useRef<number>(undefined);
  const { web } = settings;
  const moveOf = (values: WebValues) => consoleMove(location, portsOf(valuesOf(settings)), portsOf(values));
  const group = useSettingsGroup<WebValues>({
    settings,
    group: 'web',
    valuesOf,
    toChange: (values) => ({
      ...toChange(values, web),
      ...(within.current !== undefined && { 'confirm-within': within.current }),
    }),
    paths: {
      http: 'web.http-port',
      isHttps: 'web.enable-https',
      https: 'web.https-port',
      isRedirected: 'web.redirect-https',
      hasHsts: 'web.hsts',
    },
  });
  const { form, save, trySave } = group;
  const submit = (values: WebValues) => {
    if (moveOf(values).kind !== 'stays') return setAsked(values);
    within.current = undefined;
    save.mutate(values);
  };
  const apply: Risk['apply'] = async ({ 'confirm-within': seconds = 0 }) => {
    within.current = seconds === 0 ? undefined : seconds;
    const revision = asked && (await trySave(asked));
    return revision === undefined ? undefined : { 'confirm-by-s': seconds, addresses: [], revision };
  };
  return (
    <SettingsGroup
      group={group}
      onSubmit={submit}
      title={<Trans>Web access</Trans>}
      intro={
        <>
          <Trans>Ports of this console and of the API. It is found at:</Trans>
          <Addresses list={consoleAddresses(location, portsOf(valuesOf(settings)))} />
        </>
      }
      effect={
        <>
          <MoveBanner values={form.values} moveOf={moveOf} />
          <HttpsOnlyBanner values={form.values} web={web} />
        </>
      }
    >
      {settings.unconfirmed?.web !== undefined && (
        <UnconfirmedMove deadline={settings.unconfirmed.web} ports={portsOf(valuesOf(settings))} />
      )}
      <div className={styles.halves}>
        <TextInput label={t`HTTP port`} inputMode="numeric" {...form.getInputProps('http')} />
        {form.values.isHttps && (
          <TextInput label={t`HTTPS port`} inputMode="numeric" {...form.getInputProps('https')} />
        )}
      </div>
      <Checkbox label={t`Also serve over HTTPS`} {...form.getInputProps('isHttps', { type: 'checkbox' })} />
      <CertificateBanner isWanted={form.values.isHttps} web={web} />
      {form.values.isHttps && <HttpsOnlyFields form={form} web={web} />}
      {asked !== undefined && (
        <AskToMove
          now={portsOf(valuesOf(settings))}
          next={portsOf(asked)}
          move={moveOf(asked)}
          apply={apply}
          onClose={() => setAsked(undefined)}
        />
      )}
    </SettingsGroup>
  );
}

interface AskToMoveProps extends Pick<Risk, 'apply'> {
  readonly now: WebPorts;
  readonly next: WebPorts;
  readonly move: ReturnType<typeof consoleMove>;
  readonly onClose: () => void;
}

function AskToMove({ now, next, move, apply, onClose }: AskToMoveProps) {
  const { t } = useLingui();
  const shown = ({ isHttps, httpsPort }: WebPorts) => (isHttps ? String(httpsPort) : t`off`);
  const rows: readonly [string, string, string][] = [
    [t`HTTP port`, String(now.httpPort), String(next.httpPort)],
    [t`HTTPS port`, shown(now), shown(next)],
  ];
  const changes = rows
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => t`${name}: ${before} → ${after}`);
  return (
    <RiskDialog
      risk={{
        ...{ kind: 'web', title: t`Change the address of this console?`, changes, apply, onFinal() {} },
        now:
          move.kind === 'moves' ? (
            <Trans>Bookmarks and scripts need the new address</Trans>
          ) : (
            <Trans>Through a proxy or port mapping</Trans>
          ),
        next: move.kind === 'moves' ? [move.to] : 'proxied',
      }}
      onClose={onClose}
    />
  );
}

function Addresses({ list }: { list: readonly string[] }) {
  return (
    <ul className={styles.addresses}>
      {list.map((address) => (
        <li key={address}>
          <a href={address}>{address}</a>
        </li>
      ))}
    </ul>
  );
}

interface MoveBannerProps {
  readonly values: WebValues;
  readonly moveOf: (values: WebValues) => ReturnType<typeof consoleMove>;
}

function MoveBanner({ values, moveOf }: MoveBannerProps) {
  const { httpPort, httpsPort } = portsOf(values);
  const move = moveOf(values);
  if (move.kind === 'stays' || Number.isNaN(httpPort) || (values.isHttps && Number.isNaN(httpsPort))) return null;
  return (
    <Banner tone="warn" title={<Trans>The address of the console will change</Trans>}>
      {move.kind === 'moves' ? (
        <code className={styles.address}>{move.to}</code>
      ) : (
        <Trans>This page may lose its connection to the hub.</Trans>
      )}
    </Banner>
  );
}

/** A hub that has never used HTTPS has no certificate yet; it generates one when it is first needed. */
function CertificateBanner({ isWanted, web }: { isWanted: boolean; web: Settings['web'] }) {
  if (!isWanted) return null;
  const isBroken = web['enable-https'] && !(web['is-cert-valid'] && web['is-cert-key-valid']);
  return isBroken ? (
    <Banner tone="fault" title={<Trans>The certificate or its key is not valid</Trans>}>
      <Trans>
        HTTPS does not run until both are replaced on the page <Link to={paths.certificate}>Certificate</Link>.
      </Trans>
    </Banner>
  ) : (
    <p className={styles.hint}>
      <Trans>
        Browsers warn about a certificate that the hub created itself; accept it once, or install your own on the page{' '}
        <Link to={paths.certificate}>Certificate</Link>.
      </Trans>
    </p>
  );
}

function valuesOf({ web }: Settings): WebValues {
  return {
    http: String(web['http-port']),
    isHttps: web['enable-https'],
    https: String(web['https-port']),
    isRedirected: web['redirect-https'],
    hasHsts: web.hsts,
  };
}

function portsOf({ http, isHttps, https }: Pick<WebValues, 'http' | 'isHttps' | 'https'>): WebPorts {
  return { httpPort: numberOf(http), isHttps, httpsPort: numberOf(https) };
}

/** A change of HTTPS switches an active redirect off unless the request sets it, so it is sent when it was changed. */
function toChange({ http, isHttps, https, isRedirected, hasHsts }: WebValues, now: Settings['web']): SettingsChange {
  return {
    web: {
      'http-port': numberOf(http),
      'enable-https': isHttps,
      ...(isHttps && { 'https-port': numberOf(https) }),
      ...(isHttps && isRedirected !== now['redirect-https'] && { 'redirect-https': isRedirected }),
      ...(isHttps && { hsts: hasHsts }),
    },
  };
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDownload, IconKeyboard } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router-dom';
import { supportFilePath } from '../../../../daemon/contract/calls.ts';
import { useMay } from '../../api/session.ts';
import { isPartName, partNames } from '../../i18n/part-text.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import type { AboutPart } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { systemStatusQuery } from '../../shared/system/system-query.ts';
import { type Fact, Facts } from '../../ui/layout/Facts.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { keySheetName, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import styles from './AboutPage.module.css';
import { packages, programs } from './third-party.ts';

export default function AboutPage() {
  const { t } = useLingui();
  return (
    <>
      <PageHeader title={t`About`} />
      <div className={styles.parts}>
        <ProductPart />
        <HelpPart />
        <SupportPart />
        <LicensePart />
        <LegalPart />
      </div>
    </>
  );
}

interface PartProps {
  /** By which the page's address refers to it. */
  readonly name?: AboutPart;
  readonly title: ReactNode;
  readonly children: ReactNode;
}

/** The part that the address names is scrolled to and gets the focus. */
function Part({ name, title, children }: PartProps) {
  const element = useRef<HTMLDivElement>(null);
  const isSought = useSearchParams()[0].get('part') === name && name !== undefined;
  useEffect(() => {
    if (!isSought) return;
    element.current?.scrollIntoView({ block: 'start' });
    element.current?.focus({ preventScroll: true });
  }, [isSought]);
  return (
    <div ref={element} tabIndex={-1} className={styles.part}>
      <Panel title={title}>{children}</Panel>
    </div>
  );
}

function ProductPart() {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const { info, parts } = useSuspenseQuery(systemStatusQuery).data.system;
  const versions = parts.flatMap(({ name, version }): Fact[] =>
    version === undefined
      ? []
      : [{ name: isPartName(name) ? i18n._(partNames[name]) : name, value: <span translate="no">{version}</span> }],
  );
  return (
    <Part title="Signalbox">
      <Facts
        facts={[
          { name: t`Version`, value: info['cloud-version'] },
          { name: t`Build`, value: <span translate="no">{info['build-id']}</span> },
          ...(info['hardware-ver'] === undefined ? [] : [{ name: t`Hardware`, value: info['hardware-ver'] }]),
          ...versions,
          { name: t`Host name`, value: info['host-name'] },
          { name: t`Uptime`, value: format.span(info['up-time']) },
        ]}
      />
    </Part>
  );
}

function HelpPart() {
  const { open } = useDialogAddress();
  return (
    <Part name="help" title={<Trans>Help</Trans>}>
      <div className={styles.text}>
        <p>
          <Trans>Every action of the console is also an HTTP call: the API description lists them.</Trans>
        </p>
        <div className={styles.acts}>
          <Button component="a" href="/api/openapi.json" target="_blank" variant="default">
            <Trans>API description</Trans>
          </Button>
          <Button
            variant="default"
            leftSection={<IconKeyboard size={16} aria-hidden />}
            onClick={() => open(keySheetName)}
          >
            <Trans>Keyboard shortcuts</Trans>
          </Button>
        </div>
      </div>
    </Part>
  );
}

function SupportPart() {
  const isAdmin = useMay('admin');
  return (
    <Part name="support" title={<Trans>Support</Trans>}>
      <div className={styles.text}>
        <p>
          <Trans>
            The support file describes this hub for fault analysis: version, settings, configuration, state, and the
            logs of the last 24 hours. It contains names and addresses, but no passwords and no keys.
          </Trans>
        </p>
        {isAdmin ? (
          <div className={styles.acts}>
            <Button
              component="a"
              href={supportFilePath}
              download
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              <Trans>Download support file</Trans>
            </Button>
          </div>
        ) : (
          <p>
            <Trans>Administrators can download it here.</Trans>
          </p>
        )}
      </div>
    </Part>
  );
}

function LicensePart() {
  const { t } = useLingui();
  const { channel, output, srt } = useSuspenseQuery(systemStatusQuery).data.system;
  const used = (count: number, limit: number) => t`${count} of ${limit}`;
  return (
    <Part name="license" title={<Trans>License</Trans>}>
      <Facts
        facts={[
          { name: t`Enabled channels`, value: used(channel['enable-num'], channel['limit-num']) },
          { name: t`Enabled outputs`, value: used(output['enable-num'], output['limit-num']) },
          { name: t`SRT inputs and outputs`, value: used(srt['used-num'], srt['limit-num']) },
        ]}
      />
    </Part>
  );
}

function LegalPart() {
  return (
    <Part name="legal" title={<Trans>Legal</Trans>}>
      <div className={styles.text}>
        <p>
          <Trans>
            Signalbox is licensed under the Apache License, Version 2.0, and provided “as is”, without warranty of any
            kind. It contains or uses the following third-party software, under the licenses stated.
          </Trans>
        </p>
        <dl className={styles.licenses} translate="no">
          {[...programs, ...packages].map(({ name, license }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{license}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Part>
  );
}

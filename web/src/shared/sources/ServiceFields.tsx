import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import type { Locale } from '../../i18n/i18n.ts';
import styles from './SourceDialog.module.css';
import { liveServices, serviceOf } from './services.ts';
import type { SourceValues } from './source-values.ts';

/** Fills in the server of a live service, and leads to the page with the stream key. */
export default function ServiceFields({ form }: { form: UseFormReturnType<SourceValues> }) {
  const { t, i18n } = useLingui();
  const locale = i18n.locale as Locale;
  const { rtmpUrl } = form.values;
  const [chosenId, setChosenId] = useState('');
  // A service without a server of its own is known only from the choice.
  const service = serviceOf(rtmpUrl) ?? liveServices.find(({ id, servers }) => id === chosenId && servers.length === 0);
  const choose = (id: string) => {
    setChosenId(id);
    const next = liveServices.find((one) => one.id === id);
    form.setFieldValue('rtmpUrl', next?.servers[0]?.url ?? '');
  };
  return (
    <>
      <div className={styles.halves}>
        <NativeSelect
          label={t`Service`}
          data={[
            { value: '', label: t`Other server` },
            ...liveServices.map(({ id, name }) => ({ value: id, label: name[locale] })),
          ]}
          value={service?.id ?? ''}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        {service !== undefined && service.servers.length > 1 && (
          <NativeSelect
            label={t`Ingest server`}
            data={service.servers.map(({ name, url }) => ({ value: url, label: name[locale] }))}
            value={rtmpUrl}
            onChange={(event) => form.setFieldValue('rtmpUrl', event.currentTarget.value)}
          />
        )}
      </div>
      {service !== undefined && (
        <p className={styles.mark}>
          {service.servers.length === 0 && (
            <>
              <Trans>This service gives each stream a server of its own: copy server and key from its page.</Trans>{' '}
            </>
          )}
          <a href={service.keyPage} target="_blank" rel="noreferrer">
            <Trans>Get the stream key at {service.name[locale]}</Trans>
          </a>
        </p>
      )}
    </>
  );
}

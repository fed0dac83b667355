import { Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useFormat } from '../../i18n/useFormat.ts';
import { saveText } from '../../lib/save-text.ts';
import { CopyButton } from '../../ui/data/CopyButton.tsx';
import { ActFault } from '../../ui/feedback/ActFault.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import styles from './Certificate.module.css';
import { requestCertificate } from './certificate-calls.ts';
import { checkRequest, fieldOfSubject, type RequestValues, requestValues, toSubject } from './request-form.ts';

/** Creates a certificate request for an authority to sign. The private key never leaves the hub, which creates it. */
export default function RequestPanel({ requestedAt }: { requestedAt: number | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const { form, element, onSubmit, place } = useSchemaForm<RequestValues>({
    initial: requestValues(location.hostname.replace(/^\[|\]$/g, '')),
    check: checkRequest,
    fieldOf: fieldOfSubject,
  });
  const act = useMutation({
    mutationFn: (values: RequestValues) => requestCertificate(toSubject(values)),
    onError: place,
  });
  const time = requestedAt === undefined ? '' : format.dateTime(requestedAt);
  return (
    <Panel title={<Trans>Certificate request</Trans>}>
      <form ref={element} className={styles.panel} onSubmit={onSubmit((values) => act.mutate(values))} noValidate>
        <p className={styles.hint}>
          <Trans>
            For a certificate that a certificate authority (CA) signs. The hub generates a new private key, which never
            leaves it. Install the signed certificate above, without a key.
          </Trans>
        </p>
        {requestedAt !== undefined && act.data === undefined && (
          <Banner tone="info" title={<Trans>The request of {time} is waiting for its certificate</Trans>}>
            <Trans>A new request replaces it: a certificate for the old one can then no longer be installed.</Trans>
          </Banner>
        )}
        <TextInput
          label={t`Host name or address`}
          description={t`Users open the console under this name. It becomes the common name.`}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('host')}
        />
        <Textarea
          label={t`Further names and addresses`}
          description={t`One per line`}
          rows={3}
          spellCheck={false}
          {...form.getInputProps('further')}
        />
        <div className={styles.halves}>
          <TextInput label={t`Organization (optional)`} {...form.getInputProps('organization')} />
          <TextInput label={t`City (optional)`} {...form.getInputProps('locality')} />
          <TextInput label={t`State or province (optional)`} {...form.getInputProps('state')} />
          <TextInput
            label={t`Country (optional)`}
            placeholder="DE"
            maxLength={2}
            autoComplete="off"
            {...form.getInputProps('country')}
          />
          <NativeSelect
            label={t`Type of key`}
            data={[
              { value: 'ec', label: t`ECDSA, P-256` },
              { value: 'rsa', label: t`RSA, 3072 bits` },
            ]}
            {...form.getInputProps('key')}
          />
        </div>
        {act.error !== null && Object.keys(form.errors).length === 0 && <ActFault error={act.error} />}
        <div className={styles.acts}>
          <Button type="submit" variant={act.data === undefined ? 'filled' : 'default'} loading={act.isPending}>
            <Trans>Create request</Trans>
          </Button>
        </div>
        {act.data !== undefined && <Made request={act.data} />}
      </form>
    </Panel>
  );
}

function Made({ request }: { request: string }) {
  const { t } = useLingui();
  return (
    <>
      <Textarea
        className={styles.request}
        label={t`Request`}
        description={t`Send it to the authority. It is not shown again.`}
        readOnly
        rows={10}
        spellCheck={false}
        value={request}
      />
      <div className={styles.acts}>
        <CopyButton text={request} label={t`Request`} />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveText(request, 'signalbox.csr', 'application/pkcs10')}
        >
          <Trans>Download</Trans>
        </Button>
      </div>
    </>
  );
}

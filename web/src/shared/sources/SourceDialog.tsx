import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, SegmentedControl, Stack, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { QueryKey } from '@tanstack/react-query';
import type { ClipboardEvent, ReactNode } from 'react';
import type { ShownConfig } from '../../../../daemon/contract/outputs.ts';
import { useHas } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { usePhone } from '../../lib/screen.ts';
import { CopyButton } from '../../ui/data/CopyButton.tsx';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { FormDialog } from '../editing/DialogForm.tsx';
import { isTransportStream } from './forms/input-options.ts';
import type { SourceConfig } from './forms/protocol-form.ts';
import { PullFields } from './PullFields.tsx';
import { addressFields, readPastedUrl } from './pasted-url.ts';
import { RtmpFields } from './RtmpFields.tsx';
import { RtspServerFields } from './RtspServerFields.tsx';
import styles from './SourceDialog.module.css';
import { SrtFields } from './SrtFields.tsx';
import { addressParts } from './shown-address.ts';
import { checkSource, configOf, fieldOfPath, previewOf, valuesOf } from './source-form.ts';
import { noSource, type SourceProtocol, type SourceValues } from './source-values.ts';
import { TsFields } from './TsFields.tsx';
import { UdpFields } from './UdpFields.tsx';

const NdiFields = deferredPart(() => import('./NdiFields.tsx'));

export interface StoredSource {
  readonly id: number;
  readonly name: string;
  readonly protocol: number;
  readonly config: ShownConfig;
  readonly revision: number;
}

/** The current form contents, for the content below the address. */
export interface EditedSource {
  readonly config: SourceConfig;
  /** Whether everything except the name is valid; shows the faults. */
  readonly isValid: () => boolean;
  /** Shows a refusal at its field; returns false if it has none. */
  readonly place: (error: unknown) => boolean;
}

interface SourceDialogProps {
  readonly title: string;
  readonly verb: string;
  readonly protocols: readonly SourceProtocol[];
  /** Whether the dialog edits an input rather than an output. */
  readonly isInput: boolean;
  readonly stored: StoredSource | undefined;
  /** What a new source is a copy of; it keeps the secrets that are left blank. */
  readonly copy?: StoredSource | undefined;
  /** Key of the query that `stored` comes from. */
  readonly queryKey: QueryKey;
  /** `revision`: the revision on which the change is based. */
  readonly save: (source: { name: string; config: SourceConfig; revision: number | undefined }) => Promise<void>;
  /** Records that the stored secrets are revealed. */
  readonly reveal: (() => Promise<unknown>) | undefined;
  readonly onClose: () => void;
  readonly below?: (source: EditedSource) => ReactNode;
}

const labels: Readonly<Record<SourceProtocol, string>> = {
  rtmp: 'RTMP',
  srt: 'SRT',
  udp: 'UDP',
  rtp: 'RTP',
  rtsp: 'RTSP',
  rtspServer: 'RTSP',
  http: 'HTTP/HLS',
  ndi: 'NDI',
};

/** Adds or changes an input or an output; only the fields of the chosen protocol are shown. */
export function SourceDialog(props: SourceDialogProps) {
  const { title, verb, protocols, isInput, stored, copy, queryKey, save, reveal, onClose, below } = props;
  const { t } = useLingui();
  const fields = useEditedForm<StoredSource, SourceValues>({
    ...{ now: stored, revision: stored?.revision, queryKey },
    valuesOf: (source = copy) => (source ? valuesOf(source) : { ...noSource, protocol: protocols[0] ?? 'srt' }),
    check: (values, source = copy) => checkSource(values, knownOf(source)),
    fieldOf: (path, values) => fieldOfPath(path, values.protocol),
  });
  const { form, place, show, base = copy, edit } = fields;
  const known = knownOf(base);
  const isValid = () => {
    const { name: _, ...faults } = checkSource(form.getValues(), known);
    show(faults);
    return Object.keys(faults).length === 0;
  };
  const preview = previewOf(form.values, location.hostname, isInput);
  const { protocol } = form.values;
  const paste = (event: ClipboardEvent<HTMLElement>) => {
    const field = event.target instanceof HTMLElement ? event.target.dataset.path : undefined;
    if (field === undefined || !addressFields.has(field)) return;
    const filled = readPastedUrl(event.clipboardData.getData('text').trim(), protocols);
    if (filled === undefined) return;
    event.preventDefault();
    form.setValues(filled);
  };
  return (
    <FormDialog
      title={title}
      size={540}
      fields={fields}
      save={(values) => save({ name: values.name, config: configOf(values, isInput), revision: edit.basis() })}
      verb={verb}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus {...form.getInputProps('name')} />
      {copy !== undefined && (known.hasPassword || known.hasPassphrase || form.values.isKeyKept) && <KeptSecretsNote />}
      <ProtocolChoice protocols={protocols} props={form.getInputProps('protocol')} />
      <Stack gap="sm" onPaste={paste}>
        {protocol === 'rtmp' && (
          <RtmpFields
            form={form}
            hasPassword={known.hasPassword}
            isInput={isInput}
            reveal={base && addressParts(base.config).key ? reveal : undefined}
          />
        )}
        {protocol === 'srt' && (
          <SrtFields
            form={form}
            hasPassphrase={known.hasPassphrase}
            isInput={isInput}
            reveal={base?.config.srt?.['stream-id'] ? reveal : undefined}
          />
        )}
        {protocol === 'rtspServer' && <RtspServerFields form={form} hasPassword={known.hasPassword} />}
        {(protocol === 'rtsp' || protocol === 'http') && (
          <PullFields
            form={form}
            isRtsp={protocol === 'rtsp'}
            hasPassword={known.hasPassword}
            reveal={base && addressParts(base.config).url.includes('?') ? reveal : undefined}
          />
        )}
        {(protocol === 'udp' || protocol === 'rtp') && <UdpFields form={form} isInput={isInput} />}
        {isInput && isTransportStream(protocol) && <TsFields form={form} />}
        {protocol === 'ndi' && <NdiFields form={form} isInput={isInput} />}
        {base === undefined && (
          <p className={styles.hint}>
            <Trans>You can paste a URL into an address field: it fills in the form.</Trans>
          </p>
        )}
      </Stack>
      <div className={styles.preview}>
        <span>
          <Trans>Address</Trans>
        </span>
        <p>
          <code>{preview ?? '–'}</code>
          {protocol === 'rtspServer' && preview !== undefined && <CopyButton text={preview} label={t`Address`} />}
        </p>
      </div>
      {below?.({ config: configOf(form.values, isInput), isValid, place })}
    </FormDialog>
  );
}

export function KeptSecretsNote() {
  return (
    <p className={styles.hint}>
      <Trans>Secrets left blank are taken from the original, as long as scheme, host and port stay the same.</Trans>
    </p>
  );
}

/** Secrets stored on the hub, which may be left blank in the form. */
function knownOf(source: StoredSource | undefined) {
  return {
    hasPassphrase: source?.config.srt?.['passphrase-set'] ?? false,
    hasPassword: source?.config['password-set'] ?? false,
  };
}

interface ProtocolChoiceProps {
  readonly protocols: readonly SourceProtocol[];
  readonly props: GetInputPropsReturnType;
}

/** On a phone the protocol names do not fit side by side. */
function ProtocolChoice({ protocols, props }: ProtocolChoiceProps) {
  const { t } = useLingui();
  const isPhone = usePhone();
  const hasNdi = useHas('ndi') || props.value === 'ndi';
  const offered = protocols.filter((one) => one !== 'ndi' || hasNdi);
  const data = offered.map((one) => ({ value: one, label: labels[one] }));
  if (isPhone) return <NativeSelect label={t`Protocol`} data={data} {...props} />;
  return <SegmentedControl aria-label={t`Protocol`} data={data} {...props} />;
}

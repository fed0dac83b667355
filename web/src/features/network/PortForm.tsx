import { Trans, useLingui } from '@lingui/react/macro';
import { SegmentedControl, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { NetworkPort } from '../../../../daemon/contract/network.ts';
import type { PortSettings } from '../../../../daemon/contract/network-fields.ts';
import { networkApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { CallError } from '../../lib/call-error.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { isEntry, nextHost } from '../../shared/confirmed-change/next-address.ts';
import { type Confirmation, consoleAt, type Risk } from '../../shared/confirmed-change/risk.ts';
import { EditButtons } from '../../shared/editing/EditButtons.tsx';
import { SaveFault } from '../../shared/editing/SaveFault.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { useUnsaved } from '../../ui/form/unsaved.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import styles from './NetworkPage.module.css';
import { networkQuery } from './network-query.ts';
import { addressText, checkPort, fixedNow, type PortValues, portValues, toSettings } from './port-form.ts';
import { portName } from './port-look.ts';

/** Of every field that takes an address. */
const addressField = { inputMode: 'decimal', autoComplete: 'off', spellCheck: false } as const;

const RiskDialog = deferredPart(() => import('../../shared/confirmed-change/RiskDialog.tsx'));

export interface PortFormProps {
  readonly port: NetworkPort;
  readonly others: readonly NetworkPort[];
  readonly revision: number;
  /** Nothing can be changed now: a part is missing, or another change waits. */
  readonly isLocked: boolean;
}

/** The settings of an Ethernet port. */
export function PortForm({ port, others, revision, isLocked }: PortFormProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const mayEdit = useMay('systemEdit');
  const [asked, setAsked] = useState<PortValues>();
  const { form, onSubmit, place, edit } = useEditedForm<NetworkPort, PortValues>({
    ...{ now: port, revision, queryKey: networkQuery.queryKey, valuesOf: portValues },
    check: (values) =>
      checkPort(
        values,
        others.flatMap(({ settings }) => settings ?? []),
      ),
    fieldOf: (path) => path.replace(`${port.port}.`, ''),
  });
  const isDirty = form.isDirty();
  useUnsaved(isDirty);
  const refill = (values: PortValues) => {
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
  };
  const save = useMutation({
    mutationFn: ({ values, ...confirmation }: Confirmation & { values: PortValues }) =>
      call(networkApi.set, { body: { [port.port]: toSettings(values), revision: edit.basis(), ...confirmation } }),
  });
  // A change takes effect after its revision is known. One that was undone leaves the typed values.
  const settings = JSON.stringify(port.settings);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the port has other settings, or a trial has ended
  useEffect(() => {
    const isTaken = !isLocked && isSameAs(port.settings, toSettings(form.values));
    if (!isDirty || isTaken) refill(portValues(port));
  }, [settings, isLocked]);
  const apply: Risk['apply'] = async (confirmation) => {
    if (asked === undefined) return undefined;
    try {
      return await save.mutateAsync({ values: asked, ...confirmation });
    } catch (error) {
      if (place(error) || (error instanceof CallError && error.params.revision !== undefined)) return undefined;
      throw error;
    }
  };
  const onFinal = () => {
    showToast('success', t`The settings were saved.`, 'network');
    void client.invalidateQueries({ queryKey: networkQuery.queryKey });
  };
  const name = portName(port.port);
  return (
    <form
      className={styles.form}
      aria-label={t`Settings of ${name}`}
      noValidate
      onSubmit={onSubmit((values) => isDirty && setAsked(values))}
    >
      <fieldset className={styles.fieldset} disabled={!mayEdit || isLocked}>
        <PortFields form={form} port={port} />
        {asked === undefined && <SaveFault error={save.error} errors={form.errors} edit={edit} />}
        {mayEdit && (
          <div className={styles.save}>
            <EditButtons form={form} edit={edit} save={save} />
          </div>
        )}
      </fieldset>
      {asked !== undefined && (
        <AskToApply port={port} values={asked} apply={apply} onFinal={onFinal} onClose={() => setAsked(undefined)} />
      )}
    </form>
  );
}

function PortFields({ form, port }: { form: UseFormReturnType<PortValues>; port: NetworkPort }) {
  const { t } = useLingui();
  const { dhcp } = form.values;
  const choose = (isDhcp: boolean) => {
    const offered = isDhcp || form.values.ip !== '' ? {} : fixedNow(port);
    form.setValues({ ...form.values, ...offered, dhcp: isDhcp });
    form.clearErrors();
  };
  return (
    <>
      <SegmentedControl
        aria-label={t`How the port gets its address`}
        fullWidth
        data={[
          { value: 'dhcp', label: t`DHCP` },
          { value: 'fixed', label: t`Fixed address` },
        ]}
        value={dhcp ? 'dhcp' : 'fixed'}
        onChange={(value) => choose(value === 'dhcp')}
      />
      {!dhcp && (
        <>
          <div className={styles.halves}>
            <TextInput
              label={t`IP address`}
              placeholder="192.168.1.10"
              {...addressField}
              {...form.getInputProps('ip')}
            />
            <TextInput
              label={t`Subnet mask`}
              placeholder="255.255.255.0"
              {...addressField}
              {...form.getInputProps('mask')}
            />
          </div>
          <TextInput
            label={t`Gateway`}
            description={t`Empty if this port leads to no other network`}
            {...addressField}
            {...form.getInputProps('gateway')}
          />
        </>
      )}
      <div className={styles.halves}>
        <TextInput label={t`Primary DNS server`} {...addressField} {...form.getInputProps('primary-dns')} />
        <TextInput label={t`Secondary DNS server`} {...addressField} {...form.getInputProps('secondary-dns')} />
      </div>
      {dhcp && (
        <p className={styles.hint}>
          <Trans>Leave them empty to use the DNS servers that the DHCP server names.</Trans>
        </p>
      )}
    </>
  );
}

interface AskToApplyProps extends Pick<Risk, 'apply' | 'onFinal'> {
  readonly port: NetworkPort;
  readonly values: PortValues;
  readonly onClose: () => void;
}

function AskToApply({ port, values, apply, onFinal, onClose }: AskToApplyProps) {
  const { t } = useLingui();
  const changes = useChanges(port, values);
  const name = portName(port.port);
  const host = nextHost(port, toSettings(values), location.hostname);
  const now: ReactNode = isEntry(port, location.hostname) ? (
    <Trans>Reached through {name}, the port that you are changing</Trans>
  ) : (
    <Trans>Not reached through {name}</Trans>
  );
  const next = host === 'same' || host === 'unknown' ? host : [consoleAt(host, location)];
  return (
    <RiskDialog
      risk={{ kind: 'network', title: t`Change the settings of ${name}?`, changes, now, next, apply, onFinal }}
      onClose={onClose}
    />
  );
}

/** Each line is one setting before and after the change. */
function useChanges({ settings }: NetworkPort, values: PortValues): string[] {
  const { t } = useLingui();
  const next = toSettings(values);
  const shown = (port: PortSettings | undefined) => {
    if (port === undefined) return '–';
    return port.dhcp ? t`DHCP` : addressText(port);
  };
  const dnsOf = (port: PortSettings | undefined) =>
    [port?.['primary-dns'], port?.['secondary-dns']].filter(Boolean).join(' · ') || t`none set`;
  const rows: readonly [string, string, string][] = [
    [t`Address`, shown(settings), shown(next)],
    [t`Gateway`, settings?.gateway || t`none`, next.gateway || t`none`],
    [t`DNS servers`, dnsOf(settings), dnsOf(next)],
  ];
  return rows
    .filter(([name, before, after]) => before !== after && !(next.dhcp && name === t`Gateway`))
    .map(([name, before, after]) => t`${name}: ${before} → ${after}`);
}

function isSameAs(settings: PortSettings | undefined, next: PortSettings): boolean {
  return (
    settings !== undefined &&
    Object.entries(next).every(([name, value]) => settings[name as keyof PortSettings] === value)
  );
}

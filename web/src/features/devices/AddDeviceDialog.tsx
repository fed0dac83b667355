import { Trans, useLingui } from '@lingui/react/macro';
import { PasswordInput, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DeviceAddress, DeviceName } from '../../../../daemon/contract/device-fields.ts';
import { deviceProblems } from '../../../../daemon/contract/device-problems.ts';
import type { Added } from '../../../../daemon/contract/devices.ts';
import { resultName } from '../../../../daemon/contract/result.ts';
import { faultText } from '../../i18n/result-text.ts';
import { ruleText } from '../../i18n/rule-text.ts';
import { CallError } from '../../lib/call-error.ts';
import { problemTexts } from '../../shared/devices/device-look.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import styles from './AddDeviceDialog.module.css';
import { addDevices } from './device-calls.ts';
import { readDeviceList } from './device-csv.ts';
import { GroupSelect } from './groups/GroupSelect.tsx';
import { JoinByCode } from './JoinByCode.tsx';
import { checkStream, StreamFields } from './StreamFields.tsx';

interface AddDeviceDialogProps {
  /** Group in which the devices are added at first; 0: none. */
  readonly groupId: number;
  readonly onClose: () => void;
}

type Way = 'address' | 'stream' | 'list' | 'code';

interface AddValues {
  readonly address: string;
  readonly user: string;
  readonly password: string;
  readonly stream: string;
  readonly streamUser: string;
  readonly streamPassword: string;
  readonly snapshot: string;
  readonly name: string;
  readonly list: string;
  readonly group: string;
}

const initial = {
  ...{ address: '', user: 'Admin', password: '', name: '', list: '' },
  ...{ stream: '', streamUser: '', streamPassword: '', snapshot: '' },
} as const;

/** The fields of a stream in the form: a login that was entered for a device is not sent to a stream. */
const streamField = {
  address: 'stream',
  user: 'streamUser',
  password: 'streamPassword',
  snapshot: 'snapshot',
} as const;

/**
 * Adds devices by their addresses: one, a stream of any make, or a pasted list with a result for each line. Devices that
 * register by themselves need what the last way shows.
 */
export default function AddDeviceDialog({ groupId, onClose }: AddDeviceDialogProps) {
  const { t, i18n } = useLingui();
  const [way, setWay] = useState<Way>('address');
  const [failed, setFailed] = useState<readonly Added[]>([]);
  /** The certificate that the device showed, once the user was asked about it. */
  const [pin, setPin] = useState<{ readonly address: string; readonly hash: string }>();
  const fields = useSchemaForm<AddValues>({
    initial: { ...initial, group: String(groupId) },
    check: (values) => checkOf(way, values),
    fieldOf: (path) => (way === 'stream' && path in streamField ? streamField[path as keyof typeof streamField] : path),
  });
  const { form } = fields;
  const { address, list } = form.values;
  const read = readDeviceList(list);
  const isAsking = pin !== undefined && pin.address === address;
  const save = async (values: AddValues) => {
    if (way === 'code') return true;
    const answer = await addDevices(bodyOf(way, values, isAsking ? pin.hash : undefined)).catch(
      asAnswer(way === 'stream' ? withoutLogin(values.stream) : values.address),
    );
    const wrong = answer.list.filter(({ result }) => result !== 0);
    const added = answer.list.length - wrong.length;
    const [first] = wrong;
    const hash = way === 'address' && first?.problem === 'certificateUnknown' ? first.pin : undefined;
    // A certificate that was trusted stays so while the rest is put right.
    if (hash !== undefined) setPin({ address: values.address, hash });
    setFailed(hash === undefined ? wrong : []);
    if (added > 0) showToast('success', addedText(added));
    return wrong.length === 0;
  };
  const addedText = (count: number) => (count === 1 ? t`One device was added.` : t`${count} devices were added.`);
  return (
    <FormDialog
      title={t`Add device`}
      size={540}
      fields={fields}
      save={save}
      onSaved={(isDone) => {
        if (isDone) onClose();
      }}
      verb={
        way === 'code' ? (
          <Trans>Done</Trans>
        ) : isAsking ? (
          <Trans>Trust and add</Trans>
        ) : way === 'list' ? (
          <Trans>Add devices</Trans>
        ) : (
          <Trans>Add device</Trans>
        )
      }
      isDisabled={way === 'list' && (read.devices.length === 0 || read.fault !== undefined)}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label={t`How to add`}
        data={[
          { value: 'address', label: t`By address` },
          { value: 'stream', label: t`Stream` },
          { value: 'list', label: t`By list` },
          { value: 'code', label: t`By code` },
        ]}
        value={way}
        onChange={(next) => setWay(next as Way)}
      />
      {way === 'code' && <JoinByCode />}
      {way === 'address' && (
        <>
          <TextInput
            label={t`Address`}
            description={t`The hub asks the device for its model and serial number.`}
            placeholder="192.168.1.20"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('address')}
          />
          <div className={styles.halves}>
            <TextInput label={t`Username on the device`} autoComplete="off" {...form.getInputProps('user')} />
            <PasswordInput
              label={t`Password on the device`}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
              {...form.getInputProps('password')}
            />
          </div>
        </>
      )}
      {way === 'stream' && <StreamFields propsOf={(field) => form.getInputProps(streamField[field])} />}
      {(way === 'address' || way === 'stream') && (
        <TextInput
          label={t`Name`}
          placeholder={way === 'stream' ? t`As its host` : t`As on the device`}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
      )}
      {way === 'list' && (
        <Textarea
          label={t`Devices`}
          description={t`One per line: address, username, password, name. All but the address may be left out.`}
          placeholder={t`192.168.1.20, Admin, password, Camera 1`}
          rows={6}
          spellCheck={false}
          error={read.fault && t`Line ${read.fault.line}: ${ruleText(i18n, read.fault.rule)}`}
          {...form.getInputProps('list')}
        />
      )}
      {way !== 'code' && <GroupSelect {...form.getInputProps('group')} />}
      {isAsking && way !== 'code' && (
        <Banner tone="warn" title={t`The device shows a certificate that no authority has signed.`}>
          <Trans>Compare its SHA-256 fingerprint with that of the device before you trust it:</Trans>
          <code className={styles.pin}>{pin.hash}</code>
        </Banner>
      )}
      {failed.length > 0 && way !== 'code' && (
        <Banner
          tone="fault"
          title={failed.length === 1 ? t`One device was not added.` : t`${failed.length} devices were not added.`}
        >
          <ul className={styles.failed}>
            {failed.map((one) => (
              <li key={one.address}>
                <span translate="no">{one.address}</span>:{' '}
                {one.problem === undefined ? faultText(i18n, errorOf(one.result)) : i18n._(problemTexts[one.problem])}
              </li>
            ))}
          </ul>
        </Banner>
      )}
    </FormDialog>
  );
}

/** The refusal of a single device in the form that it has in a list; other errors are thrown again. */
const asAnswer =
  (address: string) =>
  (error: unknown): { list: Added[] } => {
    if (!(error instanceof CallError) || error.code === undefined) throw error;
    const problem = deviceProblems.find((word) => word === error.params.problem);
    if (problem === undefined) throw error;
    const shownPin = error.params.pin;
    return { list: [{ address, result: error.code, problem, ...(typeof shownPin === 'string' && { pin: shownPin }) }] };
  };

/** A URL may be typed with its password, which is not shown again. */
const withoutLogin = (url: string) => url.replace(/\/\/[^/]*@/, '//');

const errorOf = (code: number) => new CallError(faultNameOf(code), { code });

function faultNameOf(code: number) {
  const name = resultName(code);
  return name === undefined || name === 'success' ? 'unknownCode' : name;
}

function checkOf(way: Way, { address, stream, snapshot, name }: AddValues) {
  if (way !== 'address' && way !== 'stream') return {};
  const ofName = name !== '' && faultAt('name', DeviceName, name);
  if (way === 'address') return { ...faultAt('address', DeviceAddress, address), ...ofName };
  const { address: ofStream, ...ofPicture } = checkStream({ address: stream, snapshot });
  return { ...(ofStream !== undefined && { stream: ofStream }), ...ofPicture, ...ofName };
}

function bodyOf(way: Way, values: AddValues, pin: string | undefined) {
  const { address, user, password, name, list, group } = values;
  const groupId = Number(group);
  const place = groupId === 0 ? {} : { 'catalog-id': groupId };
  const named = (text: string) => (text === '' ? {} : { name: text });
  if (way === 'address')
    return { address, user, password, ...named(name), ...place, ...(pin !== undefined && { pin }) };
  if (way === 'stream') {
    const { stream, streamUser, streamPassword, snapshot } = values;
    const login = { user: streamUser, password: streamPassword };
    const picture = snapshot === '' ? {} : { snapshot };
    return { driver: 'stream' as const, address: stream, ...login, ...picture, ...named(name), ...place };
  }
  return {
    list: readDeviceList(list).devices.map((one) => ({
      ...{ address: one.address, user: one.user, password: one.password },
      ...named(one.name),
      ...place,
    })),
  };
}

import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DeviceAddress, DeviceName } from '../../../../daemon/contract/device-fields.ts';
import { deviceProblems } from '../../../../daemon/contract/device-problems.ts';
import { CallError } from '../../lib/call-error.ts';
import { FormDialog } from '../../shared/editing/DialogForm.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultAt } from '../../ui/form/schema-form.ts';
import { useSchemaForm } from '../../ui/form/useSchemaForm.ts';
import styles from './AddDeviceDialog.module.css';
import { type Outcome, outcomeOf, outcomeText } from './add-each.ts';
import { DeviceListField } from './DeviceListField.tsx';
import { addDevices } from './device-calls.ts';
import { readDeviceList } from './device-csv.ts';
import { FindDevices } from './find/FindDevices.tsx';
import { useDeviceSearch } from './find/useDeviceSearch.ts';
import { GroupSelect } from './groups/GroupSelect.tsx';
import { JoinByCode } from './JoinByCode.tsx';
import { checkOscPort, OscField, oscPortOf } from './OscField.tsx';
import { checkStream, StreamFields } from './StreamFields.tsx';
import { useAddEach } from './useAddEach.ts';

interface AddDeviceDialogProps {
  /** Group in which the devices are added at first; 0: none. */
  readonly groupId: number;
  readonly onClose: () => void;
}

type Way = 'address' | 'search' | 'stream' | 'list' | 'code';

interface AddValues {
  /** `v1`: a device that cannot be asked what it is. */
  readonly kind: '' | 'v1';
  readonly address: string;
  readonly 'osc-port': string;
  readonly user: string;
  readonly password: string;
  readonly stream: string;
  readonly streamUser: string;
  readonly streamPassword: string;
  readonly snapshot: string;
  readonly name: string;
  readonly list: string;
  readonly subnet: string;
  readonly group: string;
}

const initial = {
  ...({ kind: '', 'osc-port': '' } as const),
  ...{ address: '', user: 'Admin', password: '', name: '', list: '', subnet: '' },
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
 * Adds devices by their addresses: one, those that a search has found, a stream of any make, or a list, with a result
 * for each. Devices that register by themselves need what the last way shows.
 */
export default function AddDeviceDialog({ groupId, onClose }: AddDeviceDialogProps) {
  const { t, i18n } = useLingui();
  const [way, setWay] = useState<Way>('address');
  const [failed, setFailed] = useState<readonly Outcome[]>([]);
  /** Of a list, how many devices have a result. */
  const [done, setDone] = useState<number>();
  const search = useDeviceSearch();
  const addEach = useAddEach();
  /** The certificate that the device showed, once the user was asked about it. */
  const [pin, setPin] = useState<{ readonly address: string; readonly hash: string }>();
  const fields = useSchemaForm<AddValues>({
    initial: { ...initial, group: String(groupId) },
    check: (values) => checkOf(way, values),
    fieldOf: (path) => (way === 'stream' && path in streamField ? streamField[path as keyof typeof streamField] : path),
  });
  const { form } = fields;
  const { address, list, kind } = form.values;
  const isOsc = kind === 'v1';
  const read = readDeviceList(list);
  const isAsking = pin !== undefined && pin.address === address;
  const saveOne = async (values: AddValues): Promise<boolean> => {
    const outcome = await addDevices(oneOf(way, values, isAsking ? pin.hash : undefined)).then(
      (answer) => answer.list.map(outcomeOf)[0],
      refusalOf(way === 'stream' ? withoutLogin(values.stream) : values.address),
    );
    const hash = way === 'address' && outcome?.problem === 'certificateUnknown' ? outcome.pin : undefined;
    // A certificate that was trusted stays so while the rest is put right.
    if (hash !== undefined) setPin({ address: values.address, hash });
    setFailed(outcome === undefined || outcome.isAdded || hash !== undefined ? [] : [outcome]);
    tell(outcome?.isAdded ? 1 : 0);
    return outcome?.isAdded === true;
  };
  const saveList = async (values: AddValues): Promise<boolean> => {
    const { devices } = readDeviceList(values.list);
    const outcomes: Outcome[] = [];
    setFailed([]);
    setDone(0);
    const bodies = devices.map(({ name, pin: ofDevice, line: _, ...one }) => ({
      ...{ ...one, ...named(name), ...placeOf(values) },
      ...(ofDevice !== '' && { pin: ofDevice }),
    }));
    const take = (at: number, some: readonly Outcome[]) => {
      for (const [index, outcome] of some.entries()) outcomes[at + index] = outcome;
      setDone(outcomes.filter(Boolean).length);
    };
    await addEach(bodies, take);
    setDone(undefined);
    const wrong = outcomes.filter(({ isAdded }) => !isAdded);
    setFailed(wrong);
    tell(outcomes.length - wrong.length);
    // What was added is not tried again with the rest.
    form.setFieldValue('list', devices.flatMap(({ line }, at) => (outcomes[at]?.isAdded ? [] : [line])).join('\n'));
    return wrong.length === 0;
  };
  const saveFound = async (values: AddValues): Promise<boolean> => {
    const { user, password } = values;
    const { added, left } = await search.add({ user, password, ...placeOf(values) });
    tell(added);
    return left === 0;
  };
  const save = async (values: AddValues): Promise<boolean> =>
    way === 'code' || (await { address: saveOne, stream: saveOne, list: saveList, search: saveFound }[way](values));
  const tell = (count: number) => {
    if (count > 0) showToast('success', count === 1 ? t`One device was added.` : t`${count} devices were added.`);
  };
  const isDisabled = {
    ...{ address: false, stream: false, code: false, search: search.chosen.size === 0 },
    list: read.devices.length === 0 || read.fault !== undefined,
  }[way];
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
        ) : way === 'address' && isAsking ? (
          <Trans>Trust and add</Trans>
        ) : way === 'list' || way === 'search' ? (
          <Trans>Add devices</Trans>
        ) : (
          <Trans>Add device</Trans>
        )
      }
      isDisabled={isDisabled}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label={t`How to add`}
        data={[
          { value: 'address', label: t`Address` },
          { value: 'search', label: t`Search` },
          { value: 'stream', label: t`Stream` },
          { value: 'list', label: t`List` },
          { value: 'code', label: t`Code` },
        ]}
        value={way}
        onChange={(next) => setWay(next as Way)}
      />
      {way === 'code' && <JoinByCode />}
      {way === 'address' && (
        <>
          <NativeSelect
            label={t`Model`}
            data={[
              { value: '', label: t`Recognized automatically` },
              { value: 'v1', label: 'Director Mini' },
            ]}
            {...form.getInputProps('kind')}
          />
          <TextInput
            label={t`Address`}
            description={
              isOsc
                ? t`The default port is 8080. The device needs no password.`
                : t`The hub asks the device for its model and serial number.`
            }
            placeholder="192.168.1.20"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('address')}
          />
          {isOsc ? (
            <OscField input={form.getInputProps('osc-port')} />
          ) : (
            <div className={styles.halves}>
              <TextInput label={t`Username on the device`} autoComplete="off" {...form.getInputProps('user')} />
              <PasswordInput
                label={t`Password on the device`}
                autoComplete="new-password"
                visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
                {...form.getInputProps('password')}
              />
            </div>
          )}
        </>
      )}
      {way === 'stream' && <StreamFields propsOf={(field) => form.getInputProps(streamField[field])} />}
      {(way === 'address' || way === 'stream') && (
        <TextInput
          label={t`Name`}
          placeholder={way === 'stream' || isOsc ? t`As its host` : t`As on the device`}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
      )}
      {way === 'search' && (
        <FindDevices
          search={search}
          subnet={form.getInputProps('subnet')}
          user={form.getInputProps('user')}
          password={form.getInputProps('password')}
          onStart={() => search.start.mutate(form.values.subnet, { onError: fields.place })}
        >
          <GroupSelect {...form.getInputProps('group')} />
        </FindDevices>
      )}
      {way === 'list' && (
        <DeviceListField
          read={read}
          done={done}
          field={form.getInputProps('list')}
          onFile={(text) => form.setFieldValue('list', text)}
        />
      )}
      {way !== 'code' && way !== 'search' && <GroupSelect {...form.getInputProps('group')} />}
      {isAsking && way === 'address' && (
        <Banner tone="warn" title={t`The device shows a certificate that no authority has signed.`}>
          <Trans>Compare its SHA-256 fingerprint with that of the device before you trust it:</Trans>
          <code className={styles.pin}>{pin.hash}</code>
        </Banner>
      )}
      {failed.length > 0 && way !== 'code' && way !== 'search' && (
        <Banner
          tone="fault"
          title={failed.length === 1 ? t`One device was not added.` : t`${failed.length} devices were not added.`}
        >
          <ul className={styles.failed}>
            {failed.map((one) => (
              <li key={one.address}>
                <span translate="no">{one.address}</span>: {outcomeText(i18n, one)}
              </li>
            ))}
          </ul>
        </Banner>
      )}
    </FormDialog>
  );
}

/** The refusal of a device; other errors are thrown again. */
const refusalOf =
  (address: string) =>
  (error: unknown): Outcome => {
    if (!(error instanceof CallError)) throw error;
    const problem = deviceProblems.find((word) => word === error.params.problem);
    if (problem === undefined) throw error;
    const { pin } = error.params;
    return { address, isAdded: false, problem, error, ...(typeof pin === 'string' && { pin }) };
  };

/** A URL may be typed with its password, which is not shown again. */
const withoutLogin = (url: string) => url.replace(/\/\/[^/]*@/, '//');

function checkOf(way: Way, { kind, address, stream, snapshot, name, 'osc-port': oscPort }: AddValues) {
  if (way !== 'address' && way !== 'stream') return {};
  const ofName = name !== '' && faultAt('name', DeviceName, name);
  const ofPort = kind === 'v1' && checkOscPort(oscPort);
  if (way === 'address') return { ...faultAt('address', DeviceAddress, address), ...ofPort, ...ofName };
  const { address: ofStream, ...ofPicture } = checkStream({ address: stream, snapshot });
  return { ...(ofStream !== undefined && { stream: ofStream }), ...ofPicture, ...ofName };
}

const named = (name: string) => (name === '' ? {} : { name });
const placeOf = ({ group }: AddValues) => (group === '0' ? {} : { 'catalog-id': Number(group) });

function oneOf(way: Way, values: AddValues, pin: string | undefined) {
  const { kind, address, user, password, name } = values;
  const common = { ...named(name), ...placeOf(values) };
  const trusted = pin === undefined ? {} : { pin };
  if (way === 'address' && kind === 'v1')
    return { driver: kind, address, 'osc-port': oscPortOf(values['osc-port']), ...common, ...trusted };
  if (way === 'address') return { address, user, password, ...common, ...trusted };
  const { stream, streamUser, streamPassword, snapshot } = values;
  const login = { user: streamUser, password: streamPassword };
  return { driver: 'stream' as const, address: stream, ...login, ...(snapshot !== '' && { snapshot }), ...common };
}

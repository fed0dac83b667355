/** Form values of an NDI source of an input, an output or a channel, and their conversion to the API. */
import {
  type ChannelNdi,
  ChannelNdiChange,
  defaultChannelNdi,
  type NdiAddress,
  type NdiTransport,
  ndiTransports,
} from '../../../../daemon/contract/ndi.ts';
import { type FieldFaults, faultsOf } from '../../ui/form/schema-form.ts';

/** How a source is sent. */
interface NdiSendingValues {
  /** A number of `ndiTransports`, or '' where the runtime chooses. */
  readonly ndiTransport: string;
  readonly ndiMulticast: string;
  readonly ndiMask: string;
  readonly ndiTtl: string;
}
export interface NdiValues extends NdiSendingValues {
  readonly ndiName: string;
  readonly ndiGroups: string;
  readonly ndiExtraIps: string;
  readonly ndiDiscovery: string;
  readonly ndiLowBandwidth: boolean;
}
export interface ChannelNdiValues extends NdiSendingValues {
  readonly ndi: boolean;
  readonly ndiGroups: string;
}

const defaultTtl = defaultChannelNdi['mcast-time-to-live'];
const noSending: NdiSendingValues = { ndiTransport: '', ndiMulticast: '', ndiMask: '', ndiTtl: defaultTtl };
export const noNdi: NdiValues = {
  ...noSending,
  ndiName: '',
  ndiGroups: '',
  ndiExtraIps: '',
  ndiDiscovery: '',
  ndiLowBandwidth: false,
};

type Sent = Pick<NdiAddress, 'transport-mode' | 'mcast-ip' | 'mcast-sub-mask' | 'mcast-time-to-live'>;
function sendingValues(ndi: Sent): NdiSendingValues {
  return {
    ndiTransport: String(ndi['transport-mode'] ?? ''),
    ndiMulticast: ndi['mcast-ip'] ?? '',
    ndiMask: ndi['mcast-sub-mask'] ?? '',
    ndiTtl: ndi['mcast-time-to-live'] ?? defaultTtl,
  };
}

export function ndiValues(ndi: NdiAddress): NdiValues {
  return {
    ...sendingValues(ndi),
    ndiName: ndi.name,
    ndiGroups: ndi.groups ?? '',
    ndiExtraIps: ndi['extra-ips'] ?? '',
    ndiDiscovery: ndi['discovery-server'] ?? '',
    ndiLowBandwidth: ndi['low-bandwidth'] ?? false,
  };
}

export function channelNdiValues(ndi: ChannelNdi | undefined): ChannelNdiValues {
  const { enable, ...setting } = ndi ?? { enable: false, ...defaultChannelNdi };
  return { ...sendingValues(setting), ndi: enable, ndiGroups: setting.group };
}

export const isNdiMulticast = ({ ndiTransport }: Pick<NdiSendingValues, 'ndiTransport'>) =>
  ndiTransport === String(ndiTransports.multicast);

/** Multicast values are dropped unless multicast is selected. */
function sendingOf(values: NdiSendingValues) {
  const { ndiMulticast, ndiMask, ndiTtl } = isNdiMulticast(values) ? values : noSending;
  return { 'mcast-ip': ndiMulticast.trim(), 'mcast-sub-mask': ndiMask.trim(), 'mcast-time-to-live': ndiTtl.trim() };
}

const transportOf = (text: string) => Number(text) as NdiTransport;

/** An output's form has no extra addresses and no low bandwidth option, so these stay empty. */
export function ndiOf(values: NdiValues) {
  const { ndiName, ndiGroups, ndiExtraIps, ndiDiscovery, ndiLowBandwidth, ndiTransport } = values;
  return {
    name: ndiName.trim(),
    groups: ndiGroups.trim(),
    'extra-ips': ndiExtraIps.trim(),
    'discovery-server': ndiDiscovery.trim(),
    'low-bandwidth': ndiLowBandwidth,
    'transport-mode': ndiTransport === '' ? null : transportOf(ndiTransport),
    ...sendingOf(values),
  };
}

/** When NDI is switched off, the stored sending options are kept. */
export function channelNdiOf(values: ChannelNdiValues): ChannelNdiChange {
  if (!values.ndi) return { enable: false };
  return {
    enable: true,
    'transport-mode': transportOf(values.ndiTransport),
    ...sendingOf(values),
    group: values.ndiGroups.trim(),
  };
}

const sendingFields = {
  'transport-mode': 'ndiTransport',
  'mcast-ip': 'ndiMulticast',
  'mcast-sub-mask': 'ndiMask',
  'mcast-time-to-live': 'ndiTtl',
} as const;
/** Maps members of the request to fields of the form. */
export const ndiFields = {
  ...sendingFields,
  name: 'ndiName',
  groups: 'ndiGroups',
  'extra-ips': 'ndiExtraIps',
  'discovery-server': 'ndiDiscovery',
  'low-bandwidth': 'ndiLowBandwidth',
} as const satisfies Record<keyof NdiAddress, keyof NdiValues>;
export const channelNdiFields = {
  ...sendingFields,
  enable: 'ndi',
  group: 'ndiGroups',
} as const satisfies Record<keyof ChannelNdi, keyof ChannelNdiValues>;

export function checkChannelNdi(values: ChannelNdiValues): FieldFaults {
  const found = Object.entries(faultsOf(ChannelNdiChange, channelNdiOf(values)));
  const fields: Readonly<Record<string, string>> = channelNdiFields;
  return Object.fromEntries(found.map(([member, rule]) => [fields[member] ?? member, rule]));
}

/** The channel's own NDI source: its stored settings, and the source that the engine offers. */
import { isDeepStrictEqual } from 'node:util';
import { type ChannelNdi, type ChannelNdiChange, defaultChannelNdi, ndiTransports } from '../../contract/ndi.ts';
import type { NdiStream } from '../../sources/stream-address.ts';
import { ndiStream } from '../../sources/typed-address.ts';
import type { ChannelRow } from './store.ts';

type Setting = Omit<ChannelNdi, 'enable'>;

/** Both revisions of the published API have a switch: of a response that is sent back, the changed one counts. */
export function ndiColumns(
  { ndi = {}, ndihx }: { readonly ndi?: ChannelNdiChange | undefined; readonly ndihx?: boolean | undefined },
  row: Pick<ChannelRow, 'allowNdiHx' | 'ndi'>,
): Partial<Pick<ChannelRow, 'allowNdiHx' | 'ndi'>> {
  const { enable, ...rest } = ndi;
  const isOn = [enable, ndihx].find((value) => value !== undefined && value !== row.allowNdiHx);
  const before = { ...defaultChannelNdi, ...row.ndi };
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const setting = { ...before, ...given };
  return {
    ...(isOn !== undefined && { allowNdiHx: isOn }),
    ...(!isDeepStrictEqual(setting, before) && { ndi: setting }),
  };
}

export function ndiSource(name: string, setting: Setting): NdiStream {
  const isMulticast = setting['transport-mode'] === ndiTransports.multicast;
  const { 'mcast-ip': group, 'mcast-sub-mask': mask, 'mcast-time-to-live': ttl } = setting;
  return ndiStream({
    ...{ name, groups: setting.group, 'transport-mode': setting['transport-mode'] },
    ...(isMulticast && { 'mcast-ip': group, 'mcast-sub-mask': mask, 'mcast-time-to-live': ttl }),
  });
}

const transportWords: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(ndiTransports).map(([word, bit]) => [bit, word]),
);
/** For the operation log: transport and destination. */
export function ndiSettingText(setting: Setting): string {
  const word = transportWords[setting['transport-mode']] ?? '';
  const isMulticast = setting['transport-mode'] === ndiTransports.multicast;
  return isMulticast && setting['mcast-ip'] !== '' ? `${word} ${setting['mcast-ip']}` : word;
}

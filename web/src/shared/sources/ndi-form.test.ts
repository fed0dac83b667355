import { expect, test } from 'bun:test';
import { defaultChannelNdi } from '../../../../daemon/contract/ndi.ts';
import { channelNdiOf, channelNdiValues, checkChannelNdi } from './ndi-form.ts';
import { checkSource, configOf, fieldOfPath, valuesOf } from './source-form.ts';
import { noSource, type SourceValues } from './source-values.ts';

const nothingKnown = { hasPassphrase: false, hasPassword: false };
const output: SourceValues = { ...noSource, name: 'NDI', protocol: 'ndi', ndiName: 'On air' };
const multicast = { ndiTransport: '1', ndiMulticast: '239.9.0.0', ndiMask: '255.255.0.0', ndiTtl: '4' };

test('a multicast output has a group, a mask and a time to live, and survives the round trip', () => {
  const values = { ...output, ...multicast, ndiDiscovery: 'ndi.example:5960' };
  expect(checkSource(values, nothingKnown)).toEqual({});
  const config = configOf(values);
  expect(config.ndi).toMatchObject({ 'transport-mode': 1, 'mcast-ip': '239.9.0.0', 'mcast-time-to-live': '4' });
  expect(valuesOf({ name: 'NDI', protocol: 64, config: { url: '', ...config } as never })).toEqual(values);
});

test('multicast fields are not sent with another transport, and stored values are cleared', () => {
  const { ndi } = configOf({ ...output, ...multicast, ndiTransport: '' });
  expect(ndi).toMatchObject({
    'transport-mode': null,
    'mcast-ip': '',
    'mcast-sub-mask': '',
    'mcast-time-to-live': '1',
  });
});

test('each invalid field is named', () => {
  const wrong = { ndiTransport: '1', ndiMulticast: '10.0.0.1', ndiMask: '255.0.255.0', ndiTtl: '300' };
  const faults = { ndiMulticast: 'multicast', ndiMask: 'mask', ndiTtl: 'range' };
  expect(checkSource({ ...output, ...wrong }, nothingKnown)).toEqual(faults);
  const channel = { ...channelNdiValues(undefined), ...wrong };
  expect(checkChannelNdi({ ...channel, ndi: true })).toEqual(faults);
  expect(checkChannelNdi(channel)).toEqual({});
  expect(fieldOfPath('config.ndi.mcast-sub-mask', 'ndi')).toBe('ndiMask');
});

test('a channel without NDI starts with the defaults, and one with NDI survives the round trip', () => {
  const none = channelNdiValues(undefined);
  expect(channelNdiOf(none)).toEqual({ enable: false });
  expect(channelNdiOf({ ...none, ndi: true })).toEqual({ enable: true, ...defaultChannelNdi });
  const ndi = {
    ...defaultChannelNdi,
    enable: true,
    'transport-mode': 1,
    'mcast-ip': '239.9.0.0',
    group: 'News',
  } as const;
  expect(channelNdiOf(channelNdiValues(ndi))).toEqual(ndi);
});

test('an input may have a buffer, 0 by default; an output may not', () => {
  const input: SourceValues = { ...output, ndiName: 'STUDIO (Cam 1)', heldFor: '80' };
  expect(configOf(input, true)).toMatchObject({ 'buffer-duration': 80 });
  expect(configOf({ ...input, heldFor: ' ' }, true)).toMatchObject({ 'buffer-duration': 0 });
  expect(configOf(input)).not.toHaveProperty('buffer-duration');
  const udp: SourceValues = { ...noSource, name: 'Rack', protocol: 'udp', udpHost: '0.0.0.0', udpPort: '5000' };
  expect(checkSource({ ...udp, heldFor: '2001' }, nothingKnown)).toEqual({ heldFor: 'range' });
  expect(configOf({ ...udp, heldFor: '300' }, true)).toMatchObject({ 'buffer-duration': 300 });
  expect(fieldOfPath('config.buffer-duration', 'udp')).toBe('heldFor');
  expect(fieldOfPath('config.buffer-duration', 'rtmp')).toBe('heldFor');
});

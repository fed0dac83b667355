import { limits } from '../../../../../daemon/contract/limits.ts';
import { SrtAddress } from '../../../../../daemon/contract/stream-fields.ts';
import { numberOf, type SourceValues } from '../source-values.ts';
import { choiceFields } from './input-options.ts';
import { bracketed, dots, type ProtocolForm } from './protocol-form.ts';

/** An empty field leaves a stored stream ID unchanged. */
const hasOwnId = ({ srtStreamId, isKeyKept }: SourceValues) => srtStreamId !== '' || !isKeyKept;

function addressOf(values: SourceValues) {
  const isListener = values.srtMode === 'listener';
  const keyLength = Number(values.srtKeyLength) as 0 | 16 | 24 | 32;
  return {
    mode: values.srtMode,
    host: isListener && values.srtHost === '' ? '0.0.0.0' : values.srtHost.trim(),
    port: numberOf(values.srtPort),
    latency: numberOf(values.srtLatency),
    'bandwidth-overhead': numberOf(values.srtOverhead.trim() || '0'),
    ...(hasOwnId(values) && { 'stream-id': values.srtStreamId }),
    'pb-key-len': keyLength,
    ...(isListener && { 'max-connections': numberOf(values.srtMaxConnections) }),
    ...(keyLength !== 0 && values.srtPassphrase !== '' && { passphrase: values.srtPassphrase }),
  };
}

export const srtForm: ProtocolForm = {
  read: ({ srt }) =>
    srt === undefined
      ? {}
      : {
          srtMode: srt.mode,
          srtHost: srt.host,
          srtPort: String(srt.port),
          srtLatency: String(srt.latency),
          srtOverhead: String(srt['bandwidth-overhead'] || ''),
          srtStreamId: srt['stream-id'] ?? '',
          isKeyKept: srt['stream-id-set'] ?? false,
          srtKeyLength: String(srt['pb-key-len'] ?? 0),
          srtMaxConnections: String(srt['max-connections'] ?? limits.maxConnections.default),
        },
  write: (values) => ({ type: 1, srt: addressOf(values) }),
  schema: SrtAddress,
  ruled: addressOf,
  fields: {
    ...choiceFields,
    mode: 'srtMode',
    host: 'srtHost',
    port: 'srtPort',
    latency: 'srtLatency',
    'bandwidth-overhead': 'srtOverhead',
    'stream-id': 'srtStreamId',
    'pb-key-len': 'srtKeyLength',
    passphrase: 'srtPassphrase',
    'max-connections': 'srtMaxConnections',
  },
  missing({ srtKeyLength, srtPassphrase }, { hasPassphrase }) {
    const isMissing = srtKeyLength !== '0' && srtPassphrase === '' && !hasPassphrase;
    return isMissing ? { srtPassphrase: 'passphraseNeeded' } : {};
  },
  preview(values) {
    const { host, port, mode, latency } = addressOf(values);
    if (host === '' || Number.isNaN(port)) return undefined;
    const id = values.srtStreamId === '' && !values.isKeyKept ? '' : `&streamid=${dots}`;
    const key = values.srtKeyLength === '0' ? '' : `&pbkeylen=${values.srtKeyLength}&passphrase=${dots}`;
    return `srt://${bracketed(host)}:${port}?mode=${mode}&latency=${latency}${id}${key}`;
  },
};

/** Transport streams over UDP, with or without RTP. */
import { limits } from '../../../../../daemon/contract/limits.ts';
import { isMulticast } from '../../../../../daemon/contract/rules.ts';
import { UdpAddress } from '../../../../../daemon/contract/stream-fields.ts';
import { numberOf, type SourceValues } from '../source-values.ts';
import { choiceFields, heldFields } from './input-options.ts';
import { bracketed, type ProtocolForm } from './protocol-form.ts';

function addressOf({ udpHost, udpPort, udpTtl, udpInterface, udpSource }: SourceValues) {
  const host = udpHost.trim();
  return {
    host,
    port: numberOf(udpPort),
    ...(isMulticast(host) && {
      ttl: numberOf(udpTtl),
      ...(udpInterface.trim() !== '' && { interface: udpInterface.trim() }),
    }),
    ...(udpSource.trim() !== '' && { source: udpSource.trim() }),
  };
}

const common: Omit<ProtocolForm, 'write'> = {
  read: ({ udp, rtp }) => {
    const address = udp ?? rtp;
    if (address === undefined) return {};
    return {
      udpHost: address.host,
      udpPort: String(address.port),
      udpTtl: String(address.ttl ?? limits.ttl.default),
      udpInterface: address.interface ?? '',
      udpSource: address.source ?? '',
    };
  },
  schema: UdpAddress,
  ruled: addressOf,
  fields: {
    ...choiceFields,
    ...heldFields,
    host: 'udpHost',
    port: 'udpPort',
    ttl: 'udpTtl',
    interface: 'udpInterface',
    source: 'udpSource',
  },
  preview(values, _hub, isInput) {
    const { host, port, ttl, source } = addressOf(values);
    if (host === '' || Number.isNaN(port)) return undefined;
    const options = [
      ...(ttl === undefined || isInput ? [] : [`ttl=${ttl}`]),
      ...(source ? [`source=${source}`] : []),
    ].join('&');
    return `${values.protocol}://${bracketed(host)}:${port}${options && `?${options}`}`;
  },
};

export const udpForm: ProtocolForm = { ...common, write: (values) => ({ type: 1, udp: addressOf(values) }) };
export const rtpForm: ProtocolForm = { ...common, write: (values) => ({ type: 1, rtp: addressOf(values) }) };

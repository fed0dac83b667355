/** `DeviceFacts` of the answers of an ONVIF device. */
import type { DeviceFacts, DeviceIdentity } from '../../contract/device-facts.ts';
import type { Answer } from '../answer.ts';
import { DeviceProblem } from '../problem.ts';
import { clipped, publicAddress } from '../units.ts';
import { all } from './soap.ts';

/** What is read rarely. */
export interface OnvifDetails {
  /** Answer of `GetNetworkInterfaces`. */
  readonly network: Answer | undefined;
  readonly profiles: readonly OnvifProfile[];
}

export interface OnvifProfile {
  readonly token: string;
  readonly profile: Answer;
  readonly streamUri: string | undefined;
}

/** Rejects an answer without serial number. */
export function identityOf(information: Answer): DeviceIdentity {
  const sn = information.text('SerialNumber');
  if (sn === undefined) throw new DeviceProblem('invalidAnswer', 'GetDeviceInformation: no serial number');
  const [maker, product] = [information.text('Manufacturer') ?? '', information.text('Model') ?? ''];
  const isNamed = product.toLowerCase().startsWith(maker.toLowerCase());
  const model = clipped(isNamed ? product : `${maker} ${product}`.trim());
  return {
    sn,
    name: model || sn,
    api: 'onvif',
    'product-id': 0,
    model,
    'hardware-ver': information.text('HardwareId') ?? '',
    'firmware-ver': information.text('FirmwareVersion') ?? '',
  };
}

export function factsOf(information: Answer, details: OnvifDetails): DeviceFacts {
  const [main, sub] = details.profiles;
  return {
    identity: identityOf(information),
    ethernet: ethernetOf(details.network),
    main: main === undefined ? undefined : videoOf(main.profile),
    sub: sub === undefined ? undefined : videoOf(sub.profile),
    audio: main === undefined ? undefined : audioOf(main.profile),
    // A server of RTSP sends to whoever asks.
    streams: details.profiles.flatMap(({ token, profile, streamUri }) =>
      streamUri === undefined
        ? []
        : [
            {
              ...{ id: clipped(token), name: profile.text('Name') ?? clipped(token), protocol: 'RTSP' },
              ...{ address: publicAddress(streamUri), state: 'running' as const },
            },
          ],
    ),
    disks: [],
    warnings: [],
    tasks: [],
  };
}

function videoOf(profile: Answer): DeviceFacts['main'] {
  const video = profile.part('VideoEncoderConfiguration');
  const [resolution, rate] = [video.part('Resolution'), video.part('RateControl')];
  if (!video.has('Encoding')) return undefined;
  return {
    codec: video.text('Encoding'),
    width: resolution.number('Width'),
    height: resolution.number('Height'),
    fps: rate.number('FrameRateLimit'),
    kbps: rate.number('BitrateLimit'),
  };
}

function audioOf(profile: Answer): DeviceFacts['audio'] {
  const audio = profile.part('AudioEncoderConfiguration');
  if (!audio.has('Encoding')) return undefined;
  const kHz = audio.number('SampleRate');
  return {
    codec: audio.text('Encoding'),
    kbps: audio.number('Bitrate'),
    'sample-rate': kHz === undefined ? undefined : kHz * 1000,
  };
}

function ethernetOf(network: Answer | undefined): DeviceFacts['ethernet'] {
  const ports = network === undefined ? [] : all(network, 'NetworkInterfaces');
  const port = ports.find((one) => one.flag('Enabled') === true) ?? ports[0];
  if (port === undefined) return undefined;
  const config = port.part('IPv4').part('Config');
  const dhcp = config.flag('DHCP');
  const [manual] = all(config, 'Manual');
  const address = (dhcp ? undefined : manual) ?? config.part('FromDHCP');
  const prefix = address.integer('PrefixLength');
  const speed = port.part('Link').part('OperSettings').number('Speed');
  return {
    address: address.text('Address'),
    mask: prefix === undefined ? undefined : maskOf(prefix),
    mac: port.part('Info').text('HwAddress'),
    dhcp,
    'link-mbps': speed !== undefined && speed > 0 ? speed : undefined,
  };
}

function maskOf(prefix: number): string | undefined {
  if (prefix < 0 || prefix > 32) return undefined;
  const bits = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

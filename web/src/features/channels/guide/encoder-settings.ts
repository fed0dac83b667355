/** What to enter in encoders, so that they send to a channel. Pure. */
import { type HubPlaces, rtmpAddress, srtAddress } from '../addresses.ts';

/** Encoders of the guide; `srt` stands for every device that can call over SRT. */
export const encoders = ['obs', 'vmix', 'larix', 'ffmpeg', 'srt'] as const;
export type Encoder = (typeof encoders)[number];

export interface Target {
  readonly hub: HubPlaces;
  readonly channel: string;
  readonly key: string;
  /** Protocols that the channel accepts. */
  readonly rtmp: boolean;
  readonly srt: boolean;
}

/** Latency that encoders without a setting of their own are given, milliseconds. */
export const srtLatencyMs = 120;

/** OBS and FFmpeg take the latency in microseconds. */
export function srtUrl({ hub, key }: Pick<Target, 'hub' | 'key'>): string {
  return `${srtAddress(hub, key).url}&latency=${srtLatencyMs * 1000}`;
}

/** A test pattern with a tone, sent by one command that works in every shell: double quotes, one line. */
export function ffmpegCommand(target: Target): string {
  const { rtmp, hub, key } = target;
  const [format, url] = rtmp ? ['flv', rtmpAddress(hub, key).url] : ['mpegts', srtUrl(target)];
  return [
    'ffmpeg -re -f lavfi -i testsrc2=size=1280x720:rate=25 -f lavfi -i sine=frequency=440',
    '-c:v libx264 -preset veryfast -pix_fmt yuv420p -g 50 -b:v 2500k -c:a aac -b:a 128k',
    `-f ${format} "${url}"`,
  ].join(' ');
}

/** A link in the Larix Grove format, which adds a connection to the app. */
export function larixLink({ hub, channel, key, rtmp }: Target): string {
  const connection = rtmp
    ? { url: rtmpAddress(hub, key).url }
    : { url: `srt://${hub.host}:${hub.srtPort}`, srtstreamid: key, srtlatency: String(srtLatencyMs) };
  const members = Object.entries({ ...connection, name: channel, overwrite: 'on' });
  return `larix://set/v1?${members.map(([name, value]) => `conn[][${name}]=${encodeURIComponent(value)}`).join('&')}`;
}

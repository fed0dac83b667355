/** Addresses for encoders and players. */

export interface HubPlaces {
  /** The host by which the browser reached the hub; IPv6 in brackets. */
  readonly host: string;
  readonly rtmpPort: number;
  readonly srtPort: number;
  readonly hlsPort: number;
}

export interface RtmpAddress {
  /** OBS and others have separate fields for server and key. */
  readonly server: string;
  readonly key: string;
  readonly url: string;
}

export interface SrtAddress {
  readonly server: string;
  readonly streamId: string;
  readonly url: string;
}

const defaultRtmpPort = 1935;

export function rtmpAddress({ host, rtmpPort }: HubPlaces, key: string): RtmpAddress {
  const server = `rtmp://${host}${rtmpPort === defaultRtmpPort ? '' : `:${rtmpPort}`}/live`;
  return { server, key, url: `${server}/${key}` };
}

/** The hub tells publishing and playing apart by the key alone. */
export function srtAddress({ host, srtPort }: HubPlaces, key: string): SrtAddress {
  const server = `srt://${host}:${srtPort}`;
  return { server, streamId: key, url: `${server}?streamid=${encodeURIComponent(key)}` };
}

export interface WebAddresses {
  /** Whole segments, for every player. */
  readonly hls: string;
  /** Partial segments, for low-latency HLS players. */
  readonly lowLatency: string;
  /** A continuous transport stream over HTTP. */
  readonly ts: string;
}

export function webAddresses({ host, hlsPort }: HubPlaces, key: string): WebAddresses {
  const stream = `http://${host}:${hlsPort}/live/${encodeURIComponent(key)}`;
  return { hls: `${stream}/index.m3u8`, lowLatency: `${stream}/low.m3u8`, ts: `${stream}.ts` };
}

/** Bullets for the secret part, always of the same length, so that the key length is not revealed. */
export function masked(text: string, secret: string): string {
  const bullets = '••••••••';
  return text.replace(secret, bullets).replace(encodeURIComponent(secret), bullets);
}

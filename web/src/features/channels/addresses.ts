/** Where encoders send to and players watch. */

export interface HubPlaces {
  /** As the browser reached the hub; brackets around IPv6. */
  readonly host: string;
  readonly rtmpPort: number;
  readonly srtPort: number;
  readonly hlsPort: number;
}

export interface RtmpAddress {
  /** OBS and others ask for server and key apart. */
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

/** The hub knows push from play by the key itself. */
export function srtAddress({ host, srtPort }: HubPlaces, key: string): SrtAddress {
  const server = `srt://${host}:${srtPort}`;
  return { server, streamId: key, url: `${server}?streamid=${encodeURIComponent(key)}` };
}

export interface WebAddresses {
  /** Whole segments, for every player. */
  readonly hls: string;
  /** The same with parts of segments, for players of low-latency HLS. */
  readonly lowLatency: string;
  /** The same stream in one piece. */
  readonly ts: string;
}

export function webAddresses({ host, hlsPort }: HubPlaces, key: string): WebAddresses {
  const stream = `http://${host}:${hlsPort}/live/${encodeURIComponent(key)}`;
  return { hls: `${stream}/index.m3u8`, lowLatency: `${stream}/low.m3u8`, ts: `${stream}.ts` };
}

/** Bullets for the secret part, of one length for all, so that not even the length of a key is shown. */
export function masked(text: string, secret: string): string {
  const bullets = '••••••••';
  return text.replace(secret, bullets).replace(encodeURIComponent(secret), bullets);
}

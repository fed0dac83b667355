/** Addresses for encoders and players. */

export interface HubPlaces {
  /** The host by which the browser reached the hub; IPv6 in brackets. */
  readonly host: string;
  readonly rtmpPort: number;
  readonly srtPort: number;
  readonly hlsPort: number;
}

const defaultRtmpPort = 1935;

/** OBS and others have separate fields for server and key. */
export function rtmpAddress({ host, rtmpPort }: HubPlaces, key: string) {
  const server = `rtmp://${host}${rtmpPort === defaultRtmpPort ? '' : `:${rtmpPort}`}/live`;
  return { server, url: `${server}/${key}` };
}

/** The hub tells publishing and playing apart by the key alone. */
export function srtAddress({ host, srtPort }: HubPlaces, key: string) {
  return { url: `srt://${host}:${srtPort}?streamid=${encodeURIComponent(key)}` };
}

/** HLS in whole segments, for every player, and in partial ones, for low latency; a transport stream over HTTP. */
export function webAddresses({ host, hlsPort }: HubPlaces, key: string) {
  const stream = `http://${host}:${hlsPort}/live/${encodeURIComponent(key)}`;
  return { hls: `${stream}/index.m3u8`, lowLatency: `${stream}/low.m3u8`, ts: `${stream}.ts` };
}

/** Bullets for the secret part, always of the same length, so that the key length is not revealed. */
export function masked(text: string, secret: string): string {
  const bullets = '••••••••';
  return text.replace(secret, bullets).replace(encodeURIComponent(secret), bullets);
}

/** Conversions between the units of devices and those of `DeviceFacts`. */

/** Frames per second of a frame duration in 100 ns; undefined for 0, which means "as the input". */
export function fpsOf(duration: number | undefined): number | undefined {
  return duration === undefined || duration < 1 ? undefined : rounded(1e7 / duration);
}

export function kbpsOf(bitsPerSecond: number | undefined): number | undefined {
  return bitsPerSecond === undefined ? undefined : Math.round(bitsPerSecond / 1000);
}

export function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.floor(ms / 1000);
}

/** To two decimals. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

const unusable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Without characters that break lines of lists and logs, or that the database does not return as they are. */
export const oneLine = (text: string): string => text.replaceAll(unusable, ' ').trim();

/** As much of a text as facts have. */
export const clipped = (text: string): string => text.slice(0, 255);

/** The name servers in a list that is separated by commas or spaces. */
export function nameServersOf(text: string | undefined): string[] | undefined {
  const servers = text?.split(/[\s,;]+/).filter((server) => server !== '');
  return servers === undefined || servers.length === 0 ? undefined : servers.slice(0, 4);
}

/**
 * An address without what may be secret: user, password, query, and the last part of an RTMP path, which is the key.
 * Undefined for text that is not a URL.
 */
export function publicAddress(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null || parsed.host === '') return undefined;
  const isRtmp = /^rtmps?:$/.test(parsed.protocol);
  const path = isRtmp ? parsed.pathname.split('/').slice(0, -1).join('/') : parsed.pathname;
  return clipped(`${parsed.protocol}//${parsed.host}${path === '/' ? '' : path}`);
}

import type { ShownConfig } from '../../../../daemon/contract/outputs.ts';
import { splitRtmpUrl, splitSourceUrl } from '../../../../daemon/contract/source-url.ts';
import { dots } from './forms/protocol-form.ts';

type Shown = Pick<ShownConfig, 'url' | 'type' | 'key' | 'key-set' | 'srt'>;

/** The URL without the options that have members of their own, and the key, which the URL of an RTMP input contains. */
export function addressParts(config: Shown): { readonly url: string; readonly key: string } {
  const { url } = splitSourceUrl(config.url);
  const isWhole = config.type === 1 && /^rtmps?:/i.test(url);
  const isKeyApart = config.key !== undefined || config['key-set'] !== undefined;
  return { key: config.key ?? '', ...(isWhole && !isKeyApart ? splitRtmpUrl(url) : { url }) };
}

/** Decodes the percent escapes of a part of an address, if they are valid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The address for lists: RTMP without its key; the stream ID of SRT and the query of pulled URLs become bullets; the
 * name of an NDI source as people write it.
 */
export function shownAddress(config: Shown): string {
  const { url } = addressParts(config);
  if (config.srt !== undefined) return url.replace(/(?<=[?&]streamid=)[^&]*/, dots);
  if (/^ndi:/i.test(url)) return url.replace(/^[^?]*/, decoded);
  return /^(?:https?|rtsp):/i.test(url) ? url.replace(/\?.*$/s, `?${dots}`) : url;
}

/** The parts of an input's URL, for both sides: options of the hub in its query, and the stream at the end of RTMP. */

/** The names of the hub's own options. All others belong to the source. */
export const sourceOptionNames = ['mw-program', 'mw-audio-track', 'mw-buffer-duration', 'mw-tcp-first'] as const;

/** Separates a URL from these options of its query. The rest keeps its spelling, as a signed query must. */
export function splitSourceUrl(
  url: string,
  names: readonly string[] = sourceOptionNames,
): { readonly url: string; readonly options: URLSearchParams } {
  const [, bare, query] = /^([^?]*)\?(.*)$/s.exec(url) ?? [];
  if (bare === undefined || query === undefined) return { url, options: new URLSearchParams() };
  const isOption = (part: string) => names.includes(part.split('=', 1)[0] ?? '');
  const parts = query.split('&');
  const rest = parts.filter((part) => !isOption(part));
  return {
    url: rest.length > 0 ? `${bare}?${rest.join('&')}` : bare,
    options: new URLSearchParams(parts.filter(isOption).join('&')),
  };
}

/** Separates `rtmp://host/app/key` into the URL of the application and the key, which may have a query. */
export function splitRtmpUrl(whole: string): { readonly url: string; readonly key?: string } {
  const [, url, key] = /^(\w+:\/\/[^/]+\/[^?]+)\/([^/?]+(?:\?.*)?)$/s.exec(whole) ?? [];
  return url === undefined || key === undefined ? { url: whole } : { url, key };
}

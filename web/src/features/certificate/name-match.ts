/** Returns whether a certificate is valid for a host by the rules of browsers (RFC 6125). */
export function coversHost(names: readonly string[], host: string): boolean {
  const asked = host.replace(/^\[|\]$/g, '').toLowerCase();
  return names.some((name) => {
    const own = name.toLowerCase();
    if (!own.startsWith('*.')) return own === asked;
    // The wildcard matches exactly one label.
    const [, rest = ''] = /^[^.]+(\..+)$/.exec(asked) ?? [];
    return rest === own.slice(1);
  });
}

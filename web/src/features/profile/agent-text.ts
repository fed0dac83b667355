/** Short name of a browser or program from its user agent, without the other names that browsers include. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/\b(?:Headless)?Chrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Undefined for an empty user agent. */
export function agentText(agent: string): string | undefined {
  const browser = browsers.find(([pattern]) => pattern.test(agent));
  if (browser === undefined) return agent.split(' ')[0] || undefined;
  const [pattern, name] = browser;
  const version = pattern.exec(agent)?.[1] ?? '';
  const system = systems.find(([mark]) => mark.test(agent))?.[1];
  return [`${name} ${version}`, system].filter(Boolean).join(' · ');
}

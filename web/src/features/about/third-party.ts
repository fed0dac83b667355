/** The parts of the product that others made; `tests/check/third-party.test.ts` compares them with the sources. */
interface ThirdParty {
  readonly name: string;
  /** As an SPDX expression. */
  readonly license: string;
}

export const packages: readonly ThirdParty[] = [
  { name: '@lingui/core', license: 'MIT' },
  { name: '@lingui/react', license: 'MIT' },
  { name: '@mantine/core', license: 'MIT' },
  { name: '@mantine/form', license: 'MIT' },
  { name: '@mantine/hooks', license: 'MIT' },
  { name: '@noble/hashes', license: 'MIT' },
  { name: '@rgrove/parse-xml', license: 'ISC' },
  { name: '@tabler/icons-react', license: 'MIT' },
  { name: '@tanstack/react-query', license: 'MIT' },
  { name: 'drizzle-orm', license: 'Apache-2.0' },
  { name: 'hls.js', license: 'Apache-2.0' },
  { name: 'hono', license: 'MIT' },
  { name: 'nodemailer', license: 'MIT-0' },
  { name: 'preact', license: 'MIT' },
  { name: 'qr', license: 'MIT OR Apache-2.0' },
  { name: 'react-router-dom', license: 'MIT' },
  { name: 'uplot', license: 'MIT' },
  { name: 'zod', license: 'MIT' },
  { name: 'zustand', license: 'MIT' },
];

/** Programs and libraries that run beside the hub, or that it is built with. */
export const programs: readonly ThirdParty[] = [
  { name: 'Bun', license: 'MIT' },
  { name: 'FFmpeg', license: 'LGPL-2.1-or-later OR GPL-2.0-or-later' },
  { name: 'SRT', license: 'MPL-2.0' },
  { name: 'OpenSSL', license: 'Apache-2.0' },
  { name: 'cJSON', license: 'MIT' },
];

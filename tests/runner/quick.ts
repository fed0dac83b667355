/** `make test SUITES=quick`: each feature once through the whole hub, beside all unit tests. */

/** The tag of browser tests that belong to it. */
export const quickBrowserTag = '@quick';

/** A real test of each feature of the hub; a feature without one fails `quick.test.ts`. */
export const quickProof: Readonly<Record<string, string>> = {};

export const quickIntegration: ReadonlySet<string> = new Set(
  Object.values(quickProof).filter((file) => file.startsWith('tests/integration/')),
);

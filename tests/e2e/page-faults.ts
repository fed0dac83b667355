/** Whatever goes wrong in a browser without a test noticing: console errors, exceptions, broken policy, failed requests. */
import type { BrowserContext } from '@playwright/test';

export interface PageFaults {
  /** From now on such faults belong to the test. The pattern is looked for in the lines that `unexpected` gives. */
  expect(...patterns: RegExp[]): void;
  unexpected(): readonly string[];
}

/** The page itself broke it off: a query whose page was left, an event stream that was closed. */
const brokenOff = 'net::ERR_ABORTED';
const reportPolicy = () =>
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
    console.error(`policy violated: ${violatedDirective} by ${blockedURI} in ${sourceFile}`),
  );

export async function watchFaults(context: BrowserContext): Promise<PageFaults> {
  const lines: string[] = [];
  const expected: RegExp[] = [];
  const add = (line: string) => {
    if (!expected.some((pattern) => pattern.test(line))) lines.push(line);
  };
  context.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    add(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (event) => add(`page error: ${event.error().stack ?? event.error().message}`));
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (reason !== brokenOff) add(`request failed: ${request.method()} ${request.url()}: ${reason}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400) add(`status ${response.status()}: ${response.request().method()} ${response.url()}`);
  });
  await context.addInitScript(reportPolicy);
  return {
    expect: (...patterns) => void expected.push(...patterns),
    unexpected: () => lines,
  };
}

/**
 * A page without a session is told so by the hub, on its first call. The event stream of a session that has just ended may
 * reconnect before the page has closed it.
 */
export const notSignedIn = /\b(401|403)\b.*\/api\/(session|login|events)\b/;
/** All that a browser says while the hub is away. */
export const hubAway = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

/** All errors in a browser that a test might miss: console errors, exceptions, policy violations, failed requests. */
import type { BrowserContext } from '@playwright/test';

export interface PageFaults {
  /** From now on such errors belong to the test. The pattern is matched against the lines of `unexpected`. */
  expect(...patterns: RegExp[]): void;
  unexpected(): readonly string[];
}

/** The page itself aborted it: a query of a page that was left, an event stream that was closed. */
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
 * The hub refuses the first call of a page without a session. The event stream of a session that has just ended may
 * reconnect before the page has closed it.
 */
export const notSignedIn = /\b(401|403)\b.*\/api\/(session|login|events)\b/;
/** While a hub is down, and while it starts: its health call returns 503 until its media ports are open. */
export const hubAway =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|\b503\b.*\/api\/health/;

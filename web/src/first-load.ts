/**
 * Fetches what the first page needs as soon as the console's first code runs. Otherwise each part would be asked for
 * only after the one that shows it had arrived, and every time the connection's delay would pass.
 */
import { cookieNames } from '../../daemon/contract/cookie-names.ts';
import { firstSession } from './api/first-answers.ts';
import { fetchTexts } from './i18n/i18n.ts';
import { faultOf } from './lib/call-error.ts';
import { readCookie } from './lib/cookies.ts';
import { paths, signInPath } from './lib/paths.ts';
import { fetchSignIn, pageRoutes } from './routes.tsx';
import { currentRoute } from './shell/frame/page-routes.ts';

/** Maximum wait for the answer whether somebody is signed in. */
const answerMs = 2000;

export const fetchInside = () => import('./shell/inside.ts');

/**
 * Resolves once it is clear which page is first: without a session, the address is that of the sign-in page then. A
 * wrong guess and a failure cost time only: whoever needs a part loads it.
 */
export async function startFirstLoad(): Promise<void> {
  const address = location.hash.slice(1) || '/';
  const pathname = address.split('?')[0] ?? '';
  fetchTexts('entry');
  if (pathname === paths.setup) return;
  if (pathname === paths.signIn) return fetchQuietly(fetchSignIn);
  const session = firstSession.ask();
  if (readCookie(cookieNames.signedIn) !== undefined) return fetchPage(pathname);
  fetchQuietly(fetchSignIn);
  const isSignedOut = session.then(
    () => false,
    (error) => faultOf(error) === 'notLoggedIn',
  );
  const isLate = new Promise<boolean>((resolve) => setTimeout(resolve, answerMs, false));
  if (await Promise.race([isSignedOut, isLate])) location.replace(`#${signInPath(address)}`);
}

function fetchPage(pathname: string): void {
  const route = currentRoute(pageRoutes, pathname === '/' ? paths.dashboard : pathname);
  fetchQuietly(fetchInside);
  fetchTexts('inside');
  if (route === undefined) return;
  fetchQuietly(route.fetch);
  if (route.path !== paths.dashboard) fetchTexts('pages');
}

function fetchQuietly(fetch: () => Promise<unknown>): void {
  fetch().catch(() => undefined);
}

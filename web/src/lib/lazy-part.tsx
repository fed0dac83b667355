/**
 * Parts of the console that are loaded when they are first needed. If the hub is away just then, the part is loaded
 * once it is back, without a reload of the page where that is possible.
 */
import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode, Suspense } from 'react';
import { backoffMs } from './backoff.ts';

const maxAttempts = 3;
const healthTimeoutMs = 4000;
const reloadKey = 'signalbox-reloaded';
/** Minimum time between two reloads, so that a file that is gone for good does not make the page reload forever. */
const reloadPauseMs = 60_000;

/** A part cannot be loaded although the hub responds and the page was reloaded for it. */
export class MissingPart extends Error {
  override name = 'MissingPart';
}

/** React's `lazy` for parts that may be needed while the hub is away. */
// biome-ignore lint/suspicious/noExplicitAny: the constraint of React's `lazy`
export function lazyPart<T extends ComponentType<any>>(load: () => Promise<{ default: T }>): LazyExoticComponent<T> {
  return lazy(() => loadPart(load));
}

/** A lazy part that shows nothing until it is loaded. */
export function deferredPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): (props: Props) => ReactNode {
  const Part = lazyPart(load) as unknown as ComponentType<Props>;
  return (props) => (
    <Suspense fallback={null}>
      <Part {...props} />
    </Suspense>
  );
}

/**
 * Runs `load`, which imports one module.
 *
 * Chromium remembers that a module could not be fetched, so further attempts use another address of the same file.
 * That does not help with style sheets, nor with modules that the part shares with others. For these the page is
 * reloaded; open dialogs are part of its address.
 *
 * @throws MissingPart if the page was reloaded for a part within the last minute.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  let next = load;
  for (let attempt = 1; ; attempt++) {
    try {
      return await next();
    } catch (error) {
      await hubResponds();
      const module = /https?:\S+\.js\b/.exec(String(error))?.[0];
      if (module === undefined || attempt === maxAttempts) return reload(error);
      next = () => import(/* @vite-ignore */ `${module}?attempt=${attempt}`);
    }
  }
}

/** Stays pending while the page is replaced. */
function reload(cause: unknown): Promise<never> {
  const since = Date.now() - Number(sessionStorage.getItem(reloadKey));
  if (since < reloadPauseMs) throw new MissingPart(String(cause), { cause });
  sessionStorage.setItem(reloadKey, String(Date.now()));
  location.reload();
  return new Promise(() => {});
}

/** Resolves once the hub responds. */
async function hubResponds(): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const signal = AbortSignal.timeout(healthTimeoutMs);
      if ((await fetch('/api/health', { signal, cache: 'no-store' })).ok) return;
    } catch {
      // Away: asked again below.
    }
    await new Promise((resolve) => setTimeout(resolve, backoffMs(attempt)));
  }
}

/**
 * Asks before a change of the address removes a form with unsaved values: by a link, by a call of `navigate`, and by
 * Back, Forward or a typed address. The hash router has no hook for it, so this one stands between the router and the
 * components, and between the router and the browser's history.
 */
import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import {
  UNSAFE_NavigationContext as NavigationContext,
  type Navigator,
  type Path,
  parsePath,
  type To,
  useLocation,
} from 'react-router-dom';
import { paths } from '../../lib/paths.ts';
import { askToDiscard } from '../../ui/form/ask-to-discard.ts';
import { hasUnsaved, releaseForms } from '../../ui/form/unsaved.ts';

type Place = Pick<Path, 'pathname' | 'search'>;

let popGuard: ((event: Event) => void) | undefined;

/** To be called before the router is rendered: browsers call listeners of the window in the order of registration. */
export function watchHistory(): void {
  addEventListener('popstate', (event) => popGuard?.(event));
}

export function LeaveGuard({ children }: { children: ReactNode }) {
  const { i18n } = useLingui();
  const context = useContext(NavigationContext);
  const location = useLocation();
  const here = useRef({ place: location as Place, index: indexNow() });
  useEffect(() => {
    here.current = { place: location, index: indexNow() };
  }, [location]);
  const guarded = useMemo(() => {
    const { navigator } = context;
    const leave = (to: To, go: () => void) => {
      const place = placeOf(to, here.current.place);
      // A page whose session has ended can't be kept.
      const isForced = place.pathname === paths.signIn || place.pathname === paths.setup;
      if (isForced || !loses(here.current.place, place)) return go();
      askToDiscard(i18n, () => {
        releaseForms();
        go();
      });
    };
    const guardedNavigator: Navigator = {
      ...navigator,
      push: (to, state, options) => leave(to, () => navigator.push(to, state, options)),
      replace: (to, state, options) => leave(to, () => navigator.replace(to, state, options)),
    };
    return { ...context, navigator: guardedNavigator };
  }, [context, i18n]);
  useEffect(() => {
    /** Whether the next event is the return to the page whose form must not be lost. */
    let isReturn = false;
    const onPop = (event: Event) => {
      if (isReturn) {
        isReturn = false;
        return event.stopImmediatePropagation();
      }
      const hash = window.location.hash;
      const { place, index } = here.current;
      if (!loses(place, placeOf(hash.slice(1), place))) return;
      event.stopImmediatePropagation();
      const target = indexNow();
      // An address that was typed has no index: it is the entry after this one.
      const steps = target === undefined || index === undefined ? 1 : target - index;
      isReturn = steps !== 0;
      history.go(-steps);
      askToDiscard(i18n, () => {
        releaseForms();
        if (target === undefined) window.location.hash = hash;
        else history.go(steps);
      });
    };
    popGuard = onPop;
    return () => {
      popGuard = undefined;
    };
  }, [i18n]);
  return <NavigationContext value={guarded}>{children}</NavigationContext>;
}

/** Whether a form with unsaved values would be removed. */
function loses(from: Place, to: Place): boolean {
  if (from.pathname !== to.pathname) return hasUnsaved();
  return dialogOf(from) !== dialogOf(to) && hasUnsaved('dialogs');
}

function placeOf(to: To, from: Place): Place {
  const { pathname = from.pathname, search = '' } = typeof to === 'string' ? parsePath(to) : to;
  return { pathname, search };
}

function dialogOf({ search }: Place): string {
  const query = new URLSearchParams(search);
  return `${query.get('dialog')} ${query.get('id')}`;
}

/** The router's number of the history's entry. */
function indexNow(): number | undefined {
  return (history.state as { idx?: number } | null)?.idx;
}

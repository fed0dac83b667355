/** The table of pages as the frame uses it, and the sections of the menu. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { IconBroadcast, IconDeviceTv, type IconProps, IconSettings } from '@tabler/icons-react';
import { type ComponentType, createContext, type LazyExoticComponent, useContext } from 'react';
import { matchPath } from 'react-router-dom';
import type { Scope } from '../../../../daemon/contract/calls.ts';
import type { Need } from '../../../../daemon/contract/variant.ts';

export type Section = 'streaming' | 'devices' | 'settings';

export interface PageRoute {
  readonly path: string;
  readonly title: MessageDescriptor;
  /** Of its menu entry, while the menu is narrow; that of the section by default. */
  readonly icon?: ComponentType<IconProps>;
  readonly scope: Scope;
  /** Required hub capability; absent if every hub has the page. */
  readonly needs?: Need;
  readonly section?: Section;
  /** Without a section: the one that its menu entry follows, instead of being at the top. */
  readonly menuAfter?: Section;
  /** The highlighted menu entry, for pages without their own. */
  readonly menuPath?: string;
  /** Without menu and top bar. */
  readonly isAlone?: true;
  /** Shown while it loads; tiles by default. */
  readonly skeleton?: 'table';
  /** Fetches its module only; rejects if that fails. */
  readonly fetch: () => Promise<unknown>;
  readonly page: LazyExoticComponent<ComponentType>;
}

export const sections: Record<Section, { title: MessageDescriptor; icon: ComponentType<IconProps> }> = {
  streaming: { title: msg`Streaming`, icon: IconBroadcast },
  devices: { title: msg`Devices`, icon: IconDeviceTv },
  settings: { title: msg`Settings`, icon: IconSettings },
};

export const PageRoutes = createContext<readonly PageRoute[]>([]);
export const usePageRoutes = () => useContext(PageRoutes);

/**
 * The path whose menu entry is highlighted: that of the search or of the list that led to the page, or else its own.
 * Only paths of the console count.
 */
export function menuPathOf(routes: readonly PageRoute[], { pathname, search }: { pathname: string; search: string }) {
  const query = new URLSearchParams(search);
  const named = [query.get('search-navigation'), query.get('from')].find(
    (path) => path !== null && currentRoute(routes, path) !== undefined,
  );
  return named ?? pathname;
}

export function currentRoute(routes: readonly PageRoute[], pathname: string): PageRoute | undefined {
  return routes.find((route) => matchPath(route.path, pathname) !== null);
}

import { matchPath } from 'react-router-dom';
import { type PageRoute, pageRoutes } from '../routes.tsx';

export function currentRoute(pathname: string): PageRoute | undefined {
  return pageRoutes.find((route) => matchPath(route.path, pathname) !== null);
}

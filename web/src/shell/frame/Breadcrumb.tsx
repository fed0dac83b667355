import { useLingui } from '@lingui/react/macro';
import { Link, useLocation } from 'react-router-dom';
import { usePageName } from '../../shared/page/PageHeader.tsx';
import { currentRoute, sections, usePageRoutes } from './page-routes.ts';
import styles from './TopBar.module.css';

export function Breadcrumb() {
  const { i18n, t } = useLingui();
  const { pathname } = useLocation();
  const objectName = usePageName((state) => state.name);
  const routes = usePageRoutes();
  const route = currentRoute(routes, pathname);
  if (route === undefined) return <span />;
  const parent = routes.find((other) => other !== route && other.path === route.menuPath);
  return (
    <nav className={styles.crumbs} aria-label={t`Breadcrumb`}>
      <ol>
        {route.section && <li>{i18n._(sections[route.section].title)}</li>}
        {parent && (
          <li>
            <Link to={parent.path}>{i18n._(parent.title)}</Link>
          </li>
        )}
        <li aria-current="page">{objectName ?? i18n._(route.title)}</li>
      </ol>
    </nav>
  );
}

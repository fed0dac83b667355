import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { IconFile } from '@tabler/icons-react';
import { Fragment } from 'react';
import { Link, NavLink, useLocation } from 'react-router-dom';
import { limits } from '../../../../daemon/contract/limits.ts';
import { meets, systemFlags } from '../../../../daemon/contract/variant.ts';
import { mayUse, useMay, useSession, useVariant } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { type AboutPart, aboutPath, paths } from '../../lib/paths.ts';
import { useDeviceCounts } from '../../shared/devices/devices-query.ts';
import { useSystem } from '../../shared/system/system-query.ts';
import { Mark } from '../../ui/layout/Mark.tsx';
import {
  currentRoute,
  menuPathOf,
  type PageRoute,
  type Section,
  sections,
  usePageRoutes,
} from '../frame/page-routes.ts';
import styles from './Sidebar.module.css';

const DeviceTree = deferredPart(() => import('./DeviceTree.tsx'));

interface SidebarProps {
  readonly onNavigate: (() => void) | undefined;
}

export function Sidebar({ onNavigate }: SidebarProps) {
  const { t } = useLingui();
  const user = useSession();
  const variant = useVariant();
  const isShown = ({ menuPath, needs, scope }: PageRoute) =>
    menuPath === undefined && meets(variant, needs) && mayUse(user, scope);
  const shown = usePageRoutes().filter(isShown);
  const inSection = (section: Section) => shown.filter((route) => route.section === section);
  const single = (after: Section | undefined) =>
    shown.filter((route) => route.section === undefined && route.menuAfter === after);
  return (
    <div className={styles.sidebar}>
      <div className={styles.brand}>
        <Mark size={22} />
        <span>Signalbox</span>
      </div>
      <nav className={styles.nav} aria-label={t`Main menu`}>
        <SinglePages routes={single(undefined)} onNavigate={onNavigate} />
        {(Object.keys(sections) as Section[]).map((section) => (
          <Fragment key={section}>
            <MenuSection section={section} routes={inSection(section)} onNavigate={onNavigate} />
            <SinglePages routes={single(section)} onNavigate={onNavigate} />
          </Fragment>
        ))}
      </nav>
      <HubFooter onNavigate={onNavigate} />
    </div>
  );
}

interface SinglePagesProps extends SidebarProps {
  readonly routes: readonly PageRoute[];
}

/** Pages that are in no section. */
function SinglePages({ routes, onNavigate }: SinglePagesProps) {
  if (routes.length === 0) return null;
  return (
    <ul className={styles.single}>
      {routes.map((route) => (
        <li key={route.path}>
          <MenuLink route={route} onNavigate={onNavigate} />
        </li>
      ))}
    </ul>
  );
}

interface MenuSectionProps extends SidebarProps {
  readonly section: Section;
  readonly routes: readonly PageRoute[];
}

function MenuSection({ section, routes, onNavigate }: MenuSectionProps) {
  const { i18n } = useLingui();
  if (routes.length === 0) return null;
  const { title, icon: Icon } = sections[section];
  return (
    <div className={styles.section}>
      <h2 className={styles.sectionTitle} id={`menu-${section}`}>
        <Icon size={17} stroke={1.7} aria-hidden />
        <span className={styles.label}>{i18n._(title)}</span>
      </h2>
      <ul aria-labelledby={`menu-${section}`}>
        {routes.map((route) => (
          <li key={route.path}>
            <MenuLink route={route} onNavigate={onNavigate} />
          </li>
        ))}
      </ul>
      {section === 'devices' && <DeviceTree onNavigate={onNavigate} />}
    </div>
  );
}

interface MenuLinkProps extends SidebarProps {
  readonly route: PageRoute;
}

function MenuLink({ route, onNavigate }: MenuLinkProps) {
  const { i18n } = useLingui();
  const routes = usePageRoutes();
  const current = currentRoute(routes, menuPathOf(routes, useLocation()));
  const isActive = (current?.menuPath ?? current?.path) === route.path;
  const { section, icon: Icon = section === undefined ? IconFile : sections[section].icon } = route;
  const title = i18n._(route.title);
  return (
    <NavLink
      to={route.path}
      className={styles.link ?? ''}
      data-active={isActive}
      data-plain={section !== undefined}
      title={title}
      aria-current={isActive ? 'page' : false}
      onClick={onNavigate}
    >
      <Icon className={styles.icon ?? ''} size={18} stroke={1.7} aria-hidden />
      <span className={styles.label}>{title}</span>
      <MenuBadge path={route.path} />
    </NavLink>
  );
}

/** Marks menu entries that need attention: a part of the hub with a fault, and devices that wait for somebody. */
export function MenuBadge({ path }: { path: string }) {
  const { t } = useLingui();
  const { number } = useFormat();
  const system = useSystem();
  const status = system?.status['status-code'] ?? 0;
  const devices = useDeviceCounts();
  const mayDecide = useMay('deviceAdvanced');
  const texts = [
    [paths.channels, systemFlags.relayStartFailed, t`The media engine failed to start`],
    [paths.dashboard, systemFlags.memoryLow, t`System memory is low`],
  ] as const;
  const text = texts.find(([of, flag]) => of === path && (status & flag) !== 0)?.[2];
  if (text !== undefined) return <Badge text="!" label={text} />;
  const licensed = {
    [paths.devices]: [devices?.['num-all'], devices?.['limit-num']],
    [paths.channels]: [system?.channel['enable-num'], system?.channel['limit-num']],
    [paths.outputs]: [system?.output['enable-num'], system?.output['limit-num']],
  }[path];
  const [used = 0, limit = used] = licensed ?? [];
  if (used > limit) return <Badge text="!" label={t`${used} in use, the license allows ${limit}`} />;
  const counted = {
    // Serial number conflicts are on the page of waiting devices, for those who decide them.
    [paths.pendingDevices]: devices && devices['num-pending'] + (mayDecide ? devices['num-clash'] : 0),
    [paths.warningDevices]: devices?.['num-warn'],
  }[path];
  if (counted === undefined || counted === 0) return null;
  const shown = counted > limits.badge ? `${limits.badge}+` : number(counted);
  return (
    <Badge text={shown} label={path === paths.pendingDevices ? t`${shown} waiting` : t`${shown} with a warning`} />
  );
}

function Badge({ text, label }: { text: string; label: string }) {
  return (
    <span className={styles.badge} role="img" aria-label={label} title={label}>
      {text}
    </span>
  );
}

const footerLinks: readonly (readonly [AboutPart, MessageDescriptor])[] = [
  ['support', msg`Support`],
  ['legal', msg`Legal`],
  ['license', msg`License`],
  ['help', msg`Help`],
];

function HubFooter({ onNavigate }: SidebarProps) {
  const { i18n } = useLingui();
  const info = useSystem()?.info;
  return (
    <div className={styles.footer}>
      <span className={styles.host} title={info?.name}>
        {info?.name ?? ' '}
      </span>
      <span>{info === undefined ? ' ' : <Trans>Version {info['cloud-version']}</Trans>}</span>
      <ul className={styles.footerLinks}>
        {footerLinks.map(([part, text]) => (
          <li key={part}>
            <Link to={aboutPath(part)} onClick={onNavigate}>
              {i18n._(text)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

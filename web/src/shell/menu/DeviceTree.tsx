import { Trans, useLingui } from '@lingui/react/macro';
import { IconChevronRight, IconFolder, IconPlus } from '@tabler/icons-react';
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { NavLink, useLocation, useNavigate } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { faultText } from '../../i18n/result-text.ts';
import { deviceGroupPath } from '../../lib/paths.ts';
import { draggedDevices } from '../../shared/devices/dragged-devices.ts';
import { flatTree, type GroupNode } from '../../shared/devices/group-tree.ts';
import { setGroup, useGroupTree } from '../../shared/devices/groups-query.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { menuPathOf, usePageRoutes } from '../frame/page-routes.ts';
import styles from './DeviceTree.module.css';

interface DeviceTreeProps {
  readonly onNavigate: (() => void) | undefined;
}

const closedKey = 'signalbox.closed-device-groups';

/** Which groups are closed, kept in the browser. */
function useClosed() {
  const [closed, setClosed] = useState<ReadonlySet<number>>(() => readClosed());
  const toggle = (id: number) => {
    const next = new Set(closed);
    if (!next.delete(id)) next.add(id);
    localStorage.setItem(closedKey, [...next].join(','));
    setClosed(next);
  };
  return { closed, toggle };
}

function readClosed(): ReadonlySet<number> {
  const stored = localStorage.getItem(closedKey) ?? '';
  return new Set(stored.split(',').filter(Boolean).map(Number));
}

/**
 * The groups of devices below the lists of the menu: arrow keys open and close them, and devices can be dropped on them.
 * Where the menu shows icons only, one icon opens a list of the groups.
 */
export default function DeviceTree({ onNavigate }: DeviceTreeProps) {
  const { t } = useLingui();
  const tree = useGroupTree();
  const mayControl = useMay('groupControl');
  const navigate = useNavigate();
  const { closed, toggle } = useClosed();
  const pathname = menuPathOf(usePageRoutes(), useLocation());
  if (tree.length === 0 && !mayControl) return null;
  const add = () => {
    void navigate(`${deviceGroupPath(0)}?dialog=add-group`);
    onNavigate?.();
  };
  const choices = () => [
    ...flatTree(tree).map(({ group: { id, name }, depth }) => ({
      key: String(id),
      text: `${'\u2003'.repeat(depth - 1)}${name}`,
      isChecked: pathname === deviceGroupPath(id),
      onSelect: () => void navigate(deviceGroupPath(id)),
    })),
    ...(mayControl ? [{ key: 'add', text: t`Add device group`, icon: IconPlus, onSelect: add }] : []),
  ];
  return (
    <>
      <div className={styles.narrow} title={t`Device groups`}>
        <DropMenu
          label={t`Device groups`}
          triggerClassName={styles.choose}
          trigger={<IconFolder size={18} stroke={1.7} aria-hidden />}
          items={choices}
        />
      </div>
      <div className={styles.tree}>
        <h3 className={styles.title}>
          <Trans>Device groups</Trans>
          {mayControl && (
            <button
              type="button"
              className={styles.add}
              aria-label={t`Add device group`}
              title={t`Add device group`}
              onClick={add}
            >
              <IconPlus size={14} aria-hidden />
            </button>
          )}
        </h3>
        <ul aria-label={t`Device groups`}>
          {flatTree(tree, closed).map((node) => (
            <TreeEntry
              key={node.group.id}
              node={node}
              isClosed={closed.has(node.group.id)}
              toggle={toggle}
              onNavigate={onNavigate}
            />
          ))}
        </ul>
      </div>
    </>
  );
}

interface TreeEntryProps extends DeviceTreeProps {
  readonly node: GroupNode;
  readonly isClosed: boolean;
  readonly toggle: (id: number) => void;
}

function TreeEntry({ node, isClosed, toggle, onNavigate }: TreeEntryProps) {
  const { t } = useLingui();
  const { group, depth, children } = node;
  const path = deviceGroupPath(group.id);
  const isActive = menuPathOf(usePageRoutes(), useLocation()) === path;
  const drop = useDeviceDrop(group.id, group.name);
  const hasChildren = children.length > 0;
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (hasChildren && ((key === 'ArrowRight' && isClosed) || (key === 'ArrowLeft' && !isClosed))) toggle(group.id);
  };
  return (
    <li className={styles.entry} style={{ paddingInlineStart: 20 + depth * 14 }} data-active={isActive} {...drop}>
      {hasChildren && (
        <button
          type="button"
          className={styles.fold}
          data-closed={isClosed}
          aria-label={isClosed ? t`Open ${group.name}` : t`Close ${group.name}`}
          aria-expanded={!isClosed}
          onClick={() => toggle(group.id)}
        >
          <IconChevronRight size={13} aria-hidden />
        </button>
      )}
      <NavLink
        to={path}
        className={styles.link ?? ''}
        title={group.name}
        aria-current={isActive ? 'page' : false}
        onClick={onNavigate}
        onKeyDown={onKeyDown}
      >
        {group.name}
      </NavLink>
    </li>
  );
}

/** Devices that are dragged here move into the group. */
function useDeviceDrop(id: number, name: string) {
  const { t, i18n } = useLingui();
  const mayControl = useMay('groupControl');
  const [isOver, setOver] = useState(false);
  if (!mayControl) return {};
  const move = (sns: readonly string[]) =>
    void setGroup({ id, devices: [...sns] })
      .then(() => showToast('success', t`Moved to “${name}”.`, 'device-drop'))
      .catch((error: unknown) => showToast('error', faultText(i18n, error), 'device-drop'));
  return {
    'data-over': isOver,
    onDragOver(event: DragEvent) {
      if (draggedDevices.are(event)) {
        event.preventDefault();
        setOver(true);
      }
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      const sns = draggedDevices.of(event);
      if (sns.length > 0) move(sns);
    },
  };
}

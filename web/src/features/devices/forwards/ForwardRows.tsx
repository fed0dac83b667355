/** Columns and buttons that the list of all port forwards and that of one device have in common. */
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import {
  IconCopy,
  IconDotsVertical,
  IconExternalLink,
  IconPencil,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconPlugConnected,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from 'react-router-dom';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import { useMay } from '../../../api/session.ts';
import { faultText } from '../../../i18n/result-text.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { copyText } from '../../../lib/copy-text.ts';
import { amountText } from '../../../lib/format.ts';
import { devicePath, paths } from '../../../lib/paths.ts';
import { CopyButton } from '../../../ui/data/CopyButton.tsx';
import { LookMark } from '../../../ui/data/StateMark.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../../ui/overlay/dialog-address.ts';
import type { Column } from '../../../ui/table/column.ts';
import styles from './Forwards.module.css';
import { deleteForward, startForward, stopForward } from './forward-calls.ts';
import { clientText, forwardLooks, forwardReasonTexts, placeOf, portText, stateOf } from './forward-look.ts';

interface ForwardProps {
  readonly forward: Forward;
}

/** Of a forward without a name: its device and port. */
function NameCell({ forward }: ForwardProps) {
  const { name } = forward;
  return name === '' ? <Trans>Port {forward['remote-port']}</Trans> : name;
}

function StateCell({ forward }: ForwardProps) {
  const { i18n } = useLingui();
  const reason = forward.reason && i18n._(forwardReasonTexts[forward.reason]);
  return (
    <span className={styles.state} title={reason}>
      <LookMark look={forwardLooks[stateOf(forward)]} />
      {reason && <span className={styles.reason}>{reason}</span>}
    </span>
  );
}

function PlaceCell({ forward }: ForwardProps) {
  const { t } = useLingui();
  const place = placeOf(forward);
  if (place === undefined) {
    return (
      <span className={styles.none}>
        <Trans>Any free port</Trans>
      </span>
    );
  }
  return (
    <span className={styles.place}>
      <code title={place}>{place}</code>
      <CopyButton text={place} label={t`address`} />
    </span>
  );
}

/** Connections, and the bytes since the start. */
function UseCell({ forward }: ForwardProps) {
  const format = useFormat();
  const { connections } = forward;
  const total = forward['total-connections'];
  if (total === 0) return '0';
  const [rx, tx] = [forward['rx-bytes'], forward['tx-bytes']].map((bytes) => amountText(format.bytes(bytes)));
  return (
    <span className={styles.state}>
      <Trans>
        {connections} ({total} in total)
      </Trans>
      <span className={styles.reason}>
        <Trans>
          {rx} in, {tx} out
        </Trans>
      </span>
    </span>
  );
}

export const deviceColumn: Column<Forward> = {
  key: 'device',
  title: msg`Device`,
  minWidth: 150,
  priority: 2,
  cell: ({ sn, 'device-name': name }) => <Link to={devicePath(sn, paths.forwards)}>{name || sn}</Link>,
  sortValue: (forward) => forward['device-name'],
  searchText: (forward) => `${forward['device-name']} ${forward.sn}`,
};

export const forwardColumns: readonly Column<Forward>[] = [
  {
    key: 'name',
    title: msg`Name`,
    minWidth: 130,
    cell: (forward) => <NameCell forward={forward} />,
    sortValue: ({ name }) => name,
    searchText: ({ name }) => name,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'state',
    title: msg`State`,
    width: 240,
    cell: (forward) => <StateCell forward={forward} />,
    sortValue: (forward) => stateOf(forward),
    onCard: 'state',
  },
  {
    key: 'port',
    title: msg`Device port`,
    width: 140,
    priority: 2,
    cell: (forward) => portText(forward['remote-port']),
    sortValue: (forward) => forward['remote-port'],
    searchText: (forward) => portText(forward['remote-port']),
  },
  {
    key: 'address',
    title: msg`Address`,
    width: 200,
    priority: 3,
    cell: (forward) => <PlaceCell forward={forward} />,
    searchText: (forward) => placeOf(forward) ?? '',
    onCard: 'line',
  },
  {
    key: 'use',
    title: msg`Connections`,
    width: 170,
    priority: 1,
    cell: (forward) => <UseCell forward={forward} />,
    sortValue: ({ connections }) => connections,
  },
  {
    key: 'user',
    title: msg`Started by`,
    width: 130,
    cell: (forward) => forward['started-by'] || '–',
    sortValue: (forward) => forward['started-by'],
    searchText: (forward) => forward['started-by'],
    isOptional: true,
  },
];

interface ForwardActionsProps extends ForwardProps {
  readonly open: DialogAddress['open'];
}

export function ForwardActions({ forward, open }: ForwardActionsProps) {
  const { t, i18n } = useLingui();
  const mayAllow = useMay('deviceAdvanced');
  const { id, started, sn } = forward;
  const name = forward.name || t`port ${forward['remote-port']} of ${forward['device-name'] || sn}`;
  const report = (error: unknown) => showToast('error', `${name}: ${faultText(i18n, error)}`, `forward-${id}`);
  const label = started ? t`Stop ${name}` : t`Start ${name}`;
  const Icon = started ? IconPlayerStopFilled : IconPlayerPlayFilled;
  const remove = () =>
    confirm({
      title: t`Delete the port forward “${name}”?`,
      consequence: started ? t`Its open connections are closed.` : t`To use it again, you must add it again.`,
      verb: t`Delete port forward`,
      isDangerous: true,
      run: () => deleteForward({ id }),
      done: t`“${name}” was deleted.`,
    });
  const copy = (text: string) =>
    copyText(text).then(
      () => showToast('success', t`Copied: ${text}`),
      () => showToast('error', t`This browser does not allow copying.`),
    );
  const text = clientText(forward);
  const isPage = started && text !== undefined && /^https?:/.test(text);
  return (
    <span className={styles.actions}>
      <ActionIcon
        size={30}
        aria-label={label}
        title={label}
        onClick={() => void (started ? stopForward({ id }) : startForward({ id })).catch(report)}
      >
        <Icon size={15} aria-hidden />
      </ActionIcon>
      <DropMenu
        label={t`More actions for ${name}`}
        trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
        items={() => [
          ...(isPage
            ? [
                {
                  key: 'open',
                  text: t`Open in a new tab`,
                  icon: IconExternalLink,
                  onSelect: () => void window.open(text, '_blank', 'noopener,noreferrer'),
                },
              ]
            : []),
          ...(text === undefined
            ? []
            : [{ key: 'copy', text: t`Copy “${text}”`, icon: IconCopy, onSelect: () => void copy(text) }]),
          { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit-forward', id) },
          ...(mayAllow
            ? [
                {
                  key: 'ports',
                  text: t`Allowed ports`,
                  icon: IconPlugConnected,
                  onSelect: () => open('forward-ports', id),
                },
              ]
            : []),
          { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
        ]}
      />
    </span>
  );
}

import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Button } from '@mantine/core';
import { IconKey, IconPlus, IconTrash } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { endless } from '../../../../daemon/contract/limits.ts';
import { maskOf, permissions } from '../../../../daemon/contract/permission.ts';
import type { AccessToken } from '../../../../daemon/contract/tokens.ts';
import { useVariant } from '../../api/session.ts';
import { permissionNames } from '../../i18n/permission-text.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { namesOf } from '../../shared/users/permission-set.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { type Column, nameColumn } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { deleteToken, tokensQuery } from './token-calls.ts';

const TokenDialog = deferredPart(() => import('./TokenDialog.tsx'));

const columns: readonly Column<AccessToken>[] = [
  nameColumn,
  {
    key: 'owner',
    title: msg`Owner`,
    width: 130,
    cell: (token) => token.owner,
    sortValue: (token) => token.owner,
    searchText: (token) => token.owner,
  },
  {
    key: 'rights',
    title: msg`Permissions`,
    minWidth: 200,
    priority: 1,
    cell: (token) => <RightsCell mask={token.permission} />,
    onCard: 'line',
  },
  {
    key: 'expire',
    title: msg`Expires`,
    width: 190,
    cell: (token) => <ExpireCell token={token} />,
    sortValue: (token) => (token.expire === endless ? Number.MAX_SAFE_INTEGER : token.expire),
  },
  {
    key: 'used',
    title: msg`Last used`,
    width: 170,
    cell: (token) => (token['last-used'] === 0 ? <Trans>Never used</Trans> : <Moment time={token['last-used']} />),
    sortValue: (token) => token['last-used'],
  },
  { key: 'ip', title: msg`From`, width: 140, cell: (token) => token['last-ip'] || '–', isOptional: true },
];

const everything = maskOf(...permissions);

function RightsCell({ mask }: { mask: number }) {
  const { i18n } = useLingui();
  const names = namesOf(mask, useVariant());
  if ((mask & everything) >>> 0 === everything) return <Trans>Full access</Trans>;
  if (names.length === 0) return <Trans>No permissions left</Trans>;
  const text = permissionNames(i18n, names.join(', '));
  return <span title={text}>{text}</span>;
}

function ExpireCell({ token: { expire } }: { token: AccessToken }) {
  if (expire === endless) return <Trans>Never</Trans>;
  if (expire <= Date.now()) return <Trans>Expired</Trans>;
  return <Moment time={expire} />;
}

export default function TokenListPage() {
  const { t } = useLingui();
  const dialog = useDialogAddress();
  const tokens = useSuspenseQuery(tokensQuery).data;
  const actions = useCallback((token: AccessToken) => <DeleteButton token={token} />, []);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => dialog.open('add')}>
      <Trans>Add access token</Trans>
    </Button>
  );
  return (
    <>
      <PageHeader title={t`Access tokens`} actions={add} />
      <DataTable
        id="tokens"
        label={t`Access tokens`}
        columns={columns}
        items={tokens}
        rowActions={actions}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconKey} title={<Trans>No access tokens yet</Trans>} action={add}>
            <Trans>
              Scripts sign in with an access token instead of a username and password. You choose the permissions.
            </Trans>
          </EmptyState>
        }
      />
      {dialog.name === 'add' && <TokenDialog onClose={dialog.close} />}
    </>
  );
}

function DeleteButton({ token: { id, name } }: { token: AccessToken }) {
  const { t } = useLingui();
  const remove = () =>
    confirm({
      title: t`Delete access token “${name}”?`,
      consequence: t`Scripts that use it stop working immediately.`,
      verb: t`Delete access token`,
      isDangerous: true,
      run: () => deleteToken({ id }),
      done: t`“${name}” was deleted.`,
    });
  const label = t`Delete access token “${name}”`;
  return (
    <ActionIcon size={30} aria-label={label} title={label} onClick={remove}>
      <IconTrash size={16} stroke={1.7} aria-hidden />
    </ActionIcon>
  );
}

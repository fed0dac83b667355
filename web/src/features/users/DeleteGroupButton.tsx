import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useNavigate } from 'react-router-dom';
import type { UserGroup } from '../../../../daemon/contract/users.ts';
import { paths } from '../../lib/paths.ts';
import { deleteGroup } from '../../shared/users/user-calls.ts';
import { releaseForms } from '../../ui/form/unsaved.ts';
import { confirm } from '../../ui/overlay/confirm.ts';

export default function DeleteGroupButton({ group: { id, name } }: { group: UserGroup }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const remove = () =>
    confirm({
      title: t`Delete group “${name}”?`,
      consequence: t`Its members become viewers. Members who lose a permission must sign in again.`,
      verb: t`Delete group`,
      isDangerous: true,
      async run() {
        await deleteGroup(id);
        // Values typed for the group are of no more use.
        releaseForms();
        void navigate(paths.users, { replace: true });
      },
      done: t`“${name}” was deleted.`,
    });
  return (
    <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove}>
      <Trans>Delete</Trans>
    </Button>
  );
}

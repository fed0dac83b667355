import { useLingui } from '@lingui/react/macro';
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { flatTree } from '../../../shared/devices/group-tree.ts';
import { useGroupTree } from '../../../shared/devices/groups-query.ts';

interface GroupSelectProps extends NativeSelectProps {
  /** Ids of groups that can't be chosen. */
  readonly without?: ReadonlySet<number>;
  /** What 0 means; no group by default. */
  readonly topLabel?: string;
}

/** Selects a group of devices; the indent shows which group it is in. */
export function GroupSelect({ without, topLabel, ...props }: GroupSelectProps) {
  const { t } = useLingui();
  const groups = flatTree(useGroupTree()).filter(({ group }) => without?.has(group.id) !== true);
  return (
    <NativeSelect
      label={t`Device group`}
      data={[
        { value: '0', label: topLabel ?? t`No group` },
        ...groups.map(({ group, depth }) => ({
          value: String(group.id),
          label: `${'\u2003'.repeat(depth - 1)}${group.name}`,
        })),
      ]}
      {...props}
    />
  );
}

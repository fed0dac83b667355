import { ActionIcon, Button } from '@mantine/core';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { usePhone } from '../../lib/screen.ts';

interface BarButtonProps {
  readonly icon: ComponentType<IconProps>;
  readonly label: string;
  /** URL of a file to download; replaces `onClick`. */
  readonly file?: string;
  readonly onClick?: () => void;
  readonly isBusy?: boolean;
}

/** A button above a log; on a phone only its icon. */
export function BarButton({ icon: Icon, label, file, onClick, isBusy = false }: BarButtonProps) {
  const isPhone = usePhone();
  const link = file === undefined ? {} : { component: 'a' as const, href: file, download: true };
  if (isPhone) {
    return (
      <ActionIcon
        {...link}
        size={40}
        variant="default"
        aria-label={label}
        title={label}
        loading={isBusy}
        onClick={onClick}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    );
  }
  return (
    <Button
      {...link}
      size="xs"
      variant="default"
      leftSection={<Icon size={15} aria-hidden />}
      loading={isBusy}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}

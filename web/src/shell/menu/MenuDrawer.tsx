import { useLingui } from '@lingui/react/macro';
import { Drawer } from '@mantine/core';
import styles from '../frame/Shell.module.css';
import { Sidebar } from './Sidebar.tsx';

/** The menu on a phone. */
export default function MenuDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Drawer
      opened
      onClose={onClose}
      size={264}
      padding={0}
      withCloseButton={false}
      title={t`Menu`}
      classNames={{ header: styles.drawerHeader ?? '' }}
    >
      <Sidebar onNavigate={onClose} />
    </Drawer>
  );
}

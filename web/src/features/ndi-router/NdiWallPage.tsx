import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowLeft, IconMaximize } from '@tabler/icons-react';
import { Link } from 'react-router-dom';
import { useMay } from '../../api/session.ts';
import { paths } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import styles from './NdiRouter.module.css';
import OutputFirst from './OutputFirst.tsx';
import { RouterNews } from './RouterNews.tsx';
import { RuntimeBanner } from './RuntimeBanner.tsx';
import { useRouter, useSalvos } from './router-query.ts';
import { RecallButton } from './salvos/RecallButton.tsx';
import { TakeSwitch } from './TakeBar.tsx';
import { UndoButton } from './UndoButton.tsx';
import { useNoEditReason, useRouterActs } from './useRouterActs.ts';

/** The router on a wall-mounted touch screen: large buttons without the rest of the console. */
export default function NdiWallPage() {
  const { t } = useLingui();
  const mayEdit = useMay('ndiEdit');
  const noEdit = useNoEditReason(mayEdit);
  const router = useRouter();
  const salvos = useSalvos();
  const acts = useRouterActs(router, mayEdit);
  const canFill = document.fullscreenEnabled;
  return (
    <div className={styles.wall}>
      <PageHeader
        title={t`NDI® Router`}
        actions={
          <>
            <TakeSwitch size="md" />
            <UndoButton size="md" {...{ router, acts, mayEdit }} />
            {canFill && (
              <Button
                size="md"
                variant="default"
                leftSection={<IconMaximize size={18} aria-hidden />}
                onClick={() => void toggleFullScreen()}
              >
                <Trans>Full screen</Trans>
              </Button>
            )}
            <Button
              component={Link}
              to={paths.ndiRouter}
              size="md"
              variant="default"
              leftSection={<IconArrowLeft size={18} aria-hidden />}
            >
              <Trans>Leave wall mode</Trans>
            </Button>
          </>
        }
      />
      <RuntimeBanner runtime={router.router.runtime} />
      {salvos.length > 0 && (
        <ul className={styles.wallSalvos} aria-label={t`Salvos`}>
          {salvos.map((salvo) => (
            <li key={salvo.id} className={styles.salvo}>
              <RecallButton salvo={salvo} noEdit={noEdit} />
            </li>
          ))}
        </ul>
      )}
      <OutputFirst {...{ router, acts, mayEdit }} isWall />
      <RouterNews />
    </div>
  );
}

/** The browser may refuse full screen; the size of the page then does not change. */
async function toggleFullScreen(): Promise<void> {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  } catch {
    // Without full screen, everything works the same.
  }
}

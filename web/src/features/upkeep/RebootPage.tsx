import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { faultOf } from '../../lib/call-error.ts';
import { FaultText } from '../../ui/feedback/FaultText.tsx';
import { FormFault } from '../../ui/feedback/FormFault.tsx';
import { useAct } from '../../ui/form/useAct.ts';
import { Panel } from '../../ui/layout/Panel.tsx';
import { BusyText } from './BusyText.tsx';
import { StandalonePage } from './StandalonePage.tsx';
import { rebootHub } from './upkeep-calls.ts';
import { useHubReturn } from './useHubReturn.ts';
import { WaitPanel } from './WaitPanel.tsx';

export default function RebootPage() {
  const { t } = useLingui();
  const hub = useHubReturn();
  const act = useAct(async (force: boolean) => hub.begin((await rebootHub(force))['estimate-sec']));
  const isForceable = faultOf(act.error) === 'objectBusy';
  const isStarted = hub.wait !== undefined;
  return (
    <StandalonePage
      title={t`Restart`}
      intro={<Trans>All streams are interrupted until the hub is back. Settings stay as they are.</Trans>}
      isStarted={isStarted}
    >
      {isStarted ? (
        <WaitPanel
          hub={hub}
          steps={[<Trans key="stop">Streams and services stop</Trans>, <Trans key="start">The hub starts again</Trans>]}
          done={<Trans>Restarted</Trans>}
        />
      ) : (
        <Panel title={<Trans>Restart now?</Trans>}>
          {act.error !== undefined && (
            <FormFault>{isForceable ? <BusyText error={act.error} /> : <FaultText error={act.error} />}</FormFault>
          )}
          <Button color="fault" loading={act.isPending} onClick={() => void act.run(isForceable)}>
            {isForceable ? <Trans>Restart anyway</Trans> : <Trans>Restart</Trans>}
          </Button>
        </Panel>
      )}
    </StandalonePage>
  );
}

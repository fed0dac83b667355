import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, SegmentedControl } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import styles from './NdiRouter.module.css';
import type { Router } from './router-query.ts';
import { inputText, outputText } from './router-text.ts';
import { useRouting } from './routing.ts';
import { clearStaged, setTake, useStaging } from './staging.ts';
import { type RouterActs, useNoEditReason } from './useRouterActs.ts';

/** Switches take mode, in which clicks prepare routes instead of routing at once. */
export function TakeSwitch({ size = 'xs' }: { size?: 'xs' | 'md' }) {
  const { t } = useLingui();
  const isTake = useStaging((state) => state.isTake);
  return (
    <SegmentedControl
      size={size}
      aria-label={t`When a click switches`}
      data={[
        { value: 'now', label: t`Immediate` },
        { value: 'take', label: t`Take mode` },
      ]}
      value={isTake ? 'take' : 'now'}
      onChange={(value) => setTake(value === 'take')}
    />
  );
}

interface TakeBarProps {
  readonly router: Router;
  readonly acts: RouterActs;
  readonly mayEdit: boolean;
}

/** Shows the prepared routes, with the buttons that take or discard them. */
export function TakeBar({ router, acts, mayEdit }: TakeBarProps) {
  const { t } = useLingui();
  const { isTake, staged } = useStaging();
  const isSending = useRouting(({ asked }) => asked.size > 0);
  const noEdit = useNoEditReason(mayEdit);
  if (!isTake) return null;
  const count = staged.size;
  return (
    <section className={styles.takeBar} aria-label={t`Prepared`}>
      <div className={styles.prepared}>
        <strong>
          {count === 0 ? <Trans>Nothing prepared</Trans> : <Plural value={count} one="# prepared" other="# prepared" />}
        </strong>
        <ul>
          {[...staged].map(([out, id]) => (
            <li key={out}>
              <StagedRoute router={router} out={out} input={id} />
            </li>
          ))}
        </ul>
      </div>
      <Button variant="default" disabled={count === 0} onClick={() => clearStaged()}>
        <Trans>Clear</Trans>
      </Button>
      <WithReason reason={noEdit}>
        <Button disabled={count === 0} loading={isSending} onClick={acts.take}>
          <Trans>Take</Trans>
        </Button>
      </WithReason>
    </section>
  );
}

function StagedRoute({ router, out, input }: { router: Router; out: number; input: number | null }) {
  const { t } = useLingui();
  const output = router.outputs.get(out);
  const from = input === null ? undefined : router.inputs.get(input);
  const [name, source] = [output ? outputText(output) : out, from ? inputText(from) : t`None`];
  return (
    <span className={styles.staged}>
      {name} ← {source}
      <button type="button" aria-label={t`Drop ${name}`} onClick={() => clearStaged(out)}>
        <IconX size={14} aria-hidden />
      </button>
    </span>
  );
}
